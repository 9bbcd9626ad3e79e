// Isolates right-to-left text from the text around it, for places that allow no <bdi> element, such as <option>.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Returns text with right-to-left letters between Unicode isolate characters. Returns other text unchanged: an isolate
 * character at its start would prevent the browser from finding an option by its first letters.
 */
export function isolate(words: string): string {
  return RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words;
}
