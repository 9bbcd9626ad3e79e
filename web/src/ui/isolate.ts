// Isolates right-to-left text from the text around it, for places that allow no <bdi> element, such as <option>.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Returns text with right-to-left letters between Unicode isolate characters. Returns other text unchanged,
 * because browsers find an option by the first letters that the user types.
 */
export function isolate(words: string): string {
  return RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words;
}
