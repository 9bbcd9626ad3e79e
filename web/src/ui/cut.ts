// Cuts text for display.

/**
 * Text longer than `length` characters becomes its first `length` characters and '…'; shorter text stays as it is.
 * Counts code points, so that no emoji is halved.
 */
export function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text;
}
