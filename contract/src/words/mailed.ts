// Translates the texts of mails and of the page that a mailed link opens. Loads all languages: only the server imports
// this module.
import type { Language } from '../language.ts';
import { fillIn } from './catalogue.ts';
import { mailed as german } from './de.ts';

const MAILED: Record<Language, Readonly<Record<string, string>>> = { en: {}, de: german };

export type Translate = (english: string, values?: Readonly<Record<string, string | number>>) => string;

/** Returns a function that translates an English text and fills in its values. An unknown text stays English. */
export function translateIn(language: Language): Translate {
  return (english, values) => fillIn(MAILED[language][english] ?? english, values);
}
