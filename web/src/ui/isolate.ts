// Keeps words of the other direction from stirring up those around them, where no element can.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Between a first-strong isolate and its end, as `bdi` does. Words without a letter of the other direction stay as they
 * are: an option is found by what its text begins with.
 */
export function isolate(words: string): string {
  return RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words;
}
