// Chooses the reader's language when a page starts, and changes it.
import { chooseLanguage, LANGUAGE_COOKIE, type Language } from '@portal/contract';
import { type Catalogue, localeOf, setReader } from './reader.ts';

const YEAR_S = 31_536_000;

const CATALOGUES: Record<Exclude<Language, 'en'>, () => Promise<Catalogue>> = {
  de: () => import('./de.ts').then((module) => module.de),
};

/**
 * Call it before anything is rendered. `rendered`: the language that the server has rendered the page in. Where the
 * catalogue cannot be fetched the pages speak English.
 */
export async function startWords(rendered?: string): Promise<void> {
  const { languages } = navigator;
  const wanted = chooseLanguage(rendered ?? readChoice(), languages);
  const catalogue = wanted === 'en' ? null : await CATALOGUES[wanted]().catch(() => null);
  const language = catalogue ? wanted : 'en';
  document.documentElement.lang = language;
  setReader({ language, locale: localeOf(language, languages), catalogue });
}

/** Keeps the choice for a year and shows this page in that language. */
export function changeLanguage(language: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is missing where the portal is served without TLS
  document.cookie = `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`;
  location.reload();
}

function readChoice(): string | undefined {
  const cookies = document.cookie.split('; ').map((pair) => pair.split('='));
  return cookies.find(([name]) => name === LANGUAGE_COOKIE)?.[1];
}
