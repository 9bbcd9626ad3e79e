// Texts of the pages in the language of a locale, for tests that run in several languages.
import { fillIn } from '@portal/contract';
import { de } from '@portal/contract/german';

/**
 * Returns a function that translates an English text of the pages into the language of the locale, English or German.
 * Texts that depend on a number get the plural form. The function throws if the translation is missing.
 */
export function wordsIn(locale: string): (text: string, values?: Record<string, string | number>) => string {
  return (text, values) => {
    const found = locale.startsWith('de') ? (de.said[text] ?? de.counted[text]?.other) : text;
    if (found === undefined) throw new Error(`no translation of ${text}`);
    return fillIn(found, values);
  };
}
