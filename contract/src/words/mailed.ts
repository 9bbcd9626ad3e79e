// Says what mails say, and the page that a mailed link opens. The server alone has all languages at hand.
import { fillIn } from './catalogue.ts';
import { mailed as german } from './de.ts';

const MAILED: Readonly<Record<string, Readonly<Record<string, string>>>> = { de: german };

/** Says an English text in `language`, with `values` for its names in braces; in English where it has no words for it. */
export type Say = (english: string, values?: Readonly<Record<string, string | number>>) => string;

export function sayIn(language: string): Say {
  return (english, values) => fillIn(MAILED[language]?.[english] ?? english, values);
}
