// Says what mails say, and the page that a mailed link opens. The server alone has all languages at hand.
import type { Language } from '../language.ts';
import { fillIn } from './catalogue.ts';
import { mailed as german } from './de.ts';

const MAILED: Record<Language, Readonly<Record<string, string>>> = { en: {}, de: german };

export type Say = (english: string, values?: Readonly<Record<string, string | number>>) => string;

/** What says an English text in `language`, with values for its names in braces; in English where that has no words for it. */
export function sayIn(language: Language): Say {
  return (english, values) => fillIn(MAILED[language][english] ?? english, values);
}
