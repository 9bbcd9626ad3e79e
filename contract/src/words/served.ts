// Translates English texts that the server sent, with their values: 'At most 9 codes' has the key 'At most {count} codes'.
import type { Catalogue } from './catalogue.ts';

/**
 * Returns a function that translates an English text with `translations`; undefined if no key matches. A `{name}` in a
 * key matches any words, which are translated too if they are a key themselves.
 */
export function readServedFrom(translations: Readonly<Record<string, string>>): Catalogue['readServed'] {
  const patterns = Object.entries(translations).flatMap(([english, text]) => {
    if (!english.includes('{')) return [];
    return [{ pattern: patternOf(english), text }];
  });
  const read = (english: string): string | undefined => {
    if (Object.hasOwn(translations, english)) return translations[english];
    for (const { pattern, text } of patterns) {
      const values = pattern.exec(english)?.groups;
      if (values) return text.replace(/\{(\w+)\}/g, (_all, name: string) => translate(values[name] ?? ''));
    }
    return undefined;
  };
  const translate = (words: string) => read(words) ?? words;
  return read;
}

function patternOf(english: string): RegExp {
  const escaped = english.replaceAll(/[.*+?^$()[\]\\|]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`, 's');
}
