// The language of the page, its catalogue, and how it writes dates and numbers.
import type { Catalogue, Language } from '@portal/contract';

/** `locale` is how dates and numbers are written, as a BCP 47 tag. English has no catalogue. */
export type CurrentLocale = { language: Language; locale: string; catalogue: Catalogue | null };

export let currentLocale: CurrentLocale = { language: 'en', locale: 'en', catalogue: null };

/** Call it before the first render: a page that is rendered does not follow a change. */
export function setCurrentLocale(next: CurrentLocale): void {
  currentLocale = next;
}

/** The first of the browser's preferred locales that is a variant of `language`, such as `de-AT`; else `language` itself. */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.split('-', 1)[0] === language) ?? language;
}
