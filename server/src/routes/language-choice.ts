// The language that a reader chose in the footer.
import { isLanguage, LANGUAGE_CHOICE } from '@portal/contract';

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
