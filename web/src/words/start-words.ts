// Fetches the words of the language that the server chose for a page, and changes the choice.
import { chooseLanguage, LANGUAGE_COOKIE, type Language } from '@portal/contract';
import { type Catalogue, localeOf, setReader } from './reader.ts';

const YEAR_S = 31_536_000;

const CATALOGUES: Record<Exclude<Language, 'en'>, () => Promise<Catalogue>> = {
  de: () => import('./de.ts').then((module) => module.de),
};

/** Call it before anything is rendered. Where the catalogue cannot be fetched the pages speak English. */
export async function startWords(): Promise<void> {
  const page = document.documentElement;
  // `vite dev` serves one page to everybody.
  if (import.meta.env.DEV) page.lang = chooseLanguage(readChoice(), navigator.languages);
  const wanted = page.lang as Language;
  const catalogue = wanted === 'en' ? null : await CATALOGUES[wanted]().catch(() => null);
  const language = catalogue ? wanted : 'en';
  page.lang = language;
  setReader({ language, locale: localeOf(language, navigator.languages), catalogue });
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
