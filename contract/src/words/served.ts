// Translates English texts that the server sends, with their values already filled in.
import type { Catalogue } from './catalogue.ts';

/**
 * Returns a function that translates such a text, or returns undefined for an unknown one. A `{name}` in a key matches
 * any words; these are translated too if they are known.
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
