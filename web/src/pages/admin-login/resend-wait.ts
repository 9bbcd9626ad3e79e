// How long the service wants people to wait before another mail, as its refusal says.

/** The seconds named in a refusal; 0 when it names none. */
export function secondsOf(words: string): number {
  return Number(/(\d+)\s*seconds?\b/i.exec(words)?.[1] ?? 0);
}
