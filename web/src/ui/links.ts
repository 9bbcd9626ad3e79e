// Web and mail addresses in text: which are safe to follow, and where they stand.

/** A piece of text; `href` when it is an address. */
export type TextPart = { text: string; href?: string };

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const ADDRESS = /https?:\/\/[^\s<>"“”]+|[^\s<>"“”()[\],;:]+@[^\s<>"“”()[\],;:]+\.[a-z]{2,}/gi;
const TRAILING = /[.,;:!?'’)\]}]+$/;

/** The address with `https://` before it when it has no scheme (R-PROD-22, R-PROD-23, A-67). */
export function withScheme(url: string): string {
  return SCHEME.test(url) ? url : `https://${url}`;
}

/** Text split into plain parts and http, https and mail addresses; punctuation after an address stays outside. */
export function linkify(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = trimAddress(match[0]);
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: address, href: /^https?:/i.test(address) ? address : `mailto:${address}` });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

// A closing bracket belongs to the address when it was opened in it.
function trimAddress(found: string): string {
  let address = found;
  while (TRAILING.test(address)) {
    const last = address.at(-1);
    if (last === ')' && address.split('(').length >= address.split(')').length) break;
    address = address.slice(0, -1);
  }
  return address;
}
