// Writes text into HTML so that it stays text, in elements and in double-quoted attributes.

/** `text` with the characters that HTML reads as its own replaced. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
