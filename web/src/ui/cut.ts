// Cuts text for display.

/**
 * Returns text longer than `length` characters as its first `length` characters and '…', and other text unchanged.
 * Counts code points, so that an emoji is not cut in half.
 */
export function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text;
}
