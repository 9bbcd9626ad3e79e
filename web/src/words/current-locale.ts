// Holds the page's language, its catalogue, and the locale for dates and numbers.
import type { Catalogue, Language } from '@portal/contract';

/** `locale` is the BCP 47 tag for dates and numbers. `catalogue` is null for English, whose texts are the keys. */
export type CurrentLocale = { language: Language; locale: string; catalogue: Catalogue | null };

export let currentLocale: CurrentLocale = { language: 'en', locale: 'en', catalogue: null };

/** Must be called before the first render, because rendered texts do not change afterwards. */
export function setCurrentLocale(next: CurrentLocale): void {
  currentLocale = next;
}

/**
 * Returns the first preferred locale that is a variant of `language`, for example `de-AT`. If there is no such locale,
 * returns `language`.
 */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.split('-', 1)[0] === language) ?? language;
}
