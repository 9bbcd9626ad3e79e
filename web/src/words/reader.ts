// Whom the pages are for: the language that they speak to them, its catalogue, and how dates and numbers are written.
import type { Catalogue, Language } from '@portal/contract';

/** `locale` is how dates and numbers are written. English has no catalogue. */
export type Reader = { language: Language; locale: string; catalogue: Catalogue | null };

export let reader: Reader = { language: 'en', locale: 'en', catalogue: null };

/** Before anything is rendered: nothing on the page follows a change. */
export function setReader(next: Reader): void {
  reader = next;
}

/** The reader's own way of writing dates and numbers where it is one of that language, such as `de-AT`. */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.split('-', 1)[0] === language) ?? language;
}
