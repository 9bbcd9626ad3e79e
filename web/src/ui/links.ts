// Finds http, https and mail addresses in a text. Other schemes, for example `javascript:`, are not safe as links.

/** A part of a text. `href` is set if the part is an address. */
export type TextPart = { text: string; href?: string };

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const ADDRESS = /https?:\/\/[^\s<>"“”]+|[^\s<>"“”()[\],;:]+@[^\s<>"“”()[\],;:]+\.[a-z]{2,}/gi;
const TRAILING = /[.,;:!?'’)\]}]+$/;

/** Returns the address; adds `https://` if it has no scheme (R-PROD-22, R-PROD-23, A-67). */
export function withScheme(url: string): string {
  return SCHEME.test(url) ? url : `https://${url}`;
}

/** Splits text into plain text and http, https and mail addresses. Excludes punctuation after an address. */
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

// Removes punctuation from the end. Keeps a closing bracket if its opening bracket is part of the address.
function trimAddress(found: string): string {
  let address = found;
  while (TRAILING.test(address)) {
    const last = address.at(-1);
    if (last === ')' && address.split('(').length >= address.split(')').length) break;
    address = address.slice(0, -1);
  }
  return address;
}
