// Shows text with links for its web and mail addresses.
import type { ReactNode } from 'react';
import { t } from '../words/translate.ts';

/** Shows `text` with its addresses as links. Web links open in a new tab and send no referrer. */
export function LinkedText({ text }: { text: string }) {
  let end = 0;
  return linkify(text).map(({ text: words, href }) => {
    end += words.length;
    if (!href) return <span key={end}>{words}</span>;
    const Anchor = href.startsWith('mailto:') ? 'a' : ExternalLink;
    return (
      // <bdi> makes the address read from left to right, also in right-to-left text.
      <bdi key={end}>
        <Anchor className="link" href={href}>
          {words}
        </Anchor>
      </bdi>
    );
  });
}

/** A part of a text. `href` is set if the part is an address. */
type TextPart = { text: string; href?: string };

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const ADDRESS = /https?:\/\/[^\s<>"“”]+|[^\s<>"“”()[\],;:]+@[^\s<>"“”()[\],;:]+\.[a-z]{2,}/gi;
const TRAILING = /[.,;:!?'’)\]}]+$/;

/** Returns the address; adds `https://` if it has no scheme (R-PROD-22, R-PROD-23, A-67). */
export function withScheme(url: string): string {
  return SCHEME.test(url) ? url : `https://${url}`;
}

/**
 * Splits text into plain text and http, https and mail addresses. Excludes punctuation after an address. Other
 * schemes, for example `javascript:`, are not safe as links.
 */
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

/** Removes punctuation from the end. Keeps a closing bracket if its opening bracket is part of the address. */
function trimAddress(found: string): string {
  let address = found;
  while (TRAILING.test(address)) {
    const last = address.at(-1);
    if (last === ')' && address.split('(').length >= address.split(')').length) break;
    address = address.slice(0, -1);
  }
  return address;
}

type ExternalLinkProps = { href: string; className?: string; children: ReactNode };

export function ExternalLink({ href, className, children }: ExternalLinkProps) {
  return (
    <a className={className} href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span className="sr-only"> {t('(opens in a new tab)')}</span>
    </a>
  );
}

/** Appends '…' to a text that was cut. Counts code points, so that an emoji is not cut in half. */
export function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Returns text with right-to-left letters between Unicode isolate characters, for places that allow no <bdi> element,
 * such as <option>. Returns other text unchanged: an isolate character at its start would prevent the browser from
 * finding an option by its first letters.
 */
export function isolate(words: string): string {
  return RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words;
}
