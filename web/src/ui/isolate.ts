// Keeps words of the other direction from stirring up those around them, where no element can.

/** Between a first-strong isolate and its end; as `bdi` does, where only text may stand. */
export function isolate(words: string): string {
  return `\u2068${words}\u2069`;
}
