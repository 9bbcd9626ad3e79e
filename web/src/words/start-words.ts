// Fetches the words of the language that the server chose for a page.
import { type Catalogue, chooseLanguage, LANGUAGE_CHOICE, type Language } from '@portal/contract';
import { localeOf, setCurrentLocale } from './current-locale.ts';

const CATALOGUES: Record<Exclude<Language, 'en'>, () => Promise<Catalogue>> = {
  de: () => import('@portal/contract/german').then((module) => module.de),
};

/** Call it before anything is rendered. Where the catalogue cannot be fetched the pages speak English. */
export async function startWords(): Promise<void> {
  const page = document.documentElement;
  if (import.meta.env.DEV) {
    // `vite dev` serves one page to everybody.
    const chosen = new URLSearchParams(location.search).get(LANGUAGE_CHOICE) ?? undefined;
    page.lang = chooseLanguage(chosen, navigator.languages);
  }
  const wanted = page.lang as Language;
  const catalogue = wanted === 'en' ? null : await CATALOGUES[wanted]().catch(() => null);
  const language = catalogue ? wanted : 'en';
  // Set to what it is already, it would have the browser work out every style of the page anew.
  if (page.lang !== language) page.lang = language;
  setCurrentLocale({ language, locale: localeOf(language, navigator.languages), catalogue });
}
