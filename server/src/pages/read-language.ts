// The language in which a browser is to be answered.
import type { IncomingHttpHeaders } from 'node:http';
import { chooseLanguage, isLanguage, LANGUAGE_CHOICE, type Language } from '@portal/contract';

const CHOICE = new RegExp(`(?:^|; *)${LANGUAGE_CHOICE}=([^;]*)`);

/** By the reader's choice, else by what the browser prefers (RFC 9110, 12.5.4), as the pages themselves would choose. */
export function readLanguage(headers: IncomingHttpHeaders): Language {
  const weighted = (headers['accept-language'] ?? '').split(',').map((range) => {
    const [tag = '', weight = ''] = range.split(';');
    return { tag: tag.trim(), weight: Number(/q=([\d.]+)/.exec(weight)?.[1] ?? 1) };
  });
  const preferred = weighted.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return chooseLanguage(
    CHOICE.exec(headers.cookie ?? '')?.[1],
    preferred.map(({ tag }) => tag),
  );
}

const YEAR_SECONDS = 31_536_000;

/**
 * The choice in the query of an address: the cookie that keeps it for a year, and the address without it, as path and
 * query. Null without one, or with a language that is not here.
 */
export function readLanguageChoice(
  address: string,
  { secure }: { secure: boolean },
): { cookie: string; rest: string } | null {
  const [path = '', text] = address.split('?', 2);
  const query = new URLSearchParams(text);
  const language = query.get(LANGUAGE_CHOICE);
  if (language === null || !isLanguage(language)) return null;
  query.delete(LANGUAGE_CHOICE);
  const cookie = `${LANGUAGE_CHOICE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
  return {
    cookie: secure ? `${cookie}; Secure` : cookie,
    rest: query.size > 0 ? `${path}?${query}` : path,
  };
}
