// Loads the catalogue of the language that the server chose for the page.
import { type Catalogue, chooseLanguage, LANGUAGE_CHOICE, type Language } from '@portal/contract';
import { localeOf, setCurrentLocale } from './current-locale.ts';

const CATALOGUES: Record<Exclude<Language, 'en'>, () => Promise<Catalogue>> = {
  de: () => import('@portal/contract/german').then((module) => module.de),
};

/** Must be called before the first render. If the catalogue cannot be loaded, the page is in English. */
export async function startWords(): Promise<void> {
  const page = document.documentElement;
  if (import.meta.env.DEV) {
    // `vite dev` serves the same page to everybody, so the browser chooses the language.
    const chosen = new URLSearchParams(location.search).get(LANGUAGE_CHOICE) ?? undefined;
    page.lang = chooseLanguage(chosen, navigator.languages);
  }
  const wanted = page.lang as Language;
  const catalogue = wanted === 'en' ? null : await CATALOGUES[wanted]().catch(() => null);
  const language = catalogue ? wanted : 'en';
  // Sets `lang` only if it changes. Otherwise the browser would recompute all styles without need.
  if (page.lang !== language) page.lang = language;
  setCurrentLocale({ language, locale: localeOf(language, navigator.languages), catalogue });
}
