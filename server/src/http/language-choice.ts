// Reads the language that a user has chosen in the page footer.
import { isLanguage, LANGUAGE_CHOICE } from '@portal/contract';

const YEAR_SECONDS = 31_536_000;

/**
 * Reads the language from the query of `address`, which is a path with its query. Returns `cookie`, which stores the
 * language for a year, and `rest`, the address without the language.
 * Returns null if the query has no language, or one that the portal does not have.
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
