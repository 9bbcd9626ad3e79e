// Searching by how a text begins, as the search indexes hold it: in lower case, compared by bytes.

/** Texts from `from` up to, not including, `to`. */
export type Beginning = { from: string; to: string; matches(text: string): boolean };

/** What begins with `q`, whatever the case; of a text that goes on with the last code point there is, it is not found. */
export function beginning(q: string): Beginning {
  const from = q.toLowerCase();
  return { from, to: `${from}\u{10ffff}`, matches: (text) => text.startsWith(from) };
}
