// Translates every text of the pages into the current language. The English text is the key (0021).
import { type Forms, fillIn } from '@portal/contract';
import { createElement, Fragment, type ReactNode } from 'react';
import { currentLocale } from './current-locale.ts';
import { sayNumber } from './format.ts';

/** Type of the placeholders' names in a text. It is `never` if the text has no placeholders or is not a literal. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Type of the arguments that follow the text: no argument, or one object with a value for each placeholder. */
type ValuesOf<Text extends string, Value> = [NamesIn<Text>] extends [never]
  ? []
  : [values: Record<NamesIn<Text>, Value>];

/** Returns the translated text with its placeholders replaced by `values`. */
export function say<Text extends string>(
  english: Text,
  ...[values]: ValuesOf<Text, string | number>
): string {
  return fillIn(find(english), values);
}

/** Returns the translated text with its placeholders replaced by elements, for example links. */
export function sayAround<Text extends string>(
  english: Text,
  ...[elements]: ValuesOf<Text, ReactNode>
): ReactNode {
  const pieces: ReactNode[] = find(english).split(/\{(\w+)\}/);
  return createElement(
    Fragment,
    null,
    ...pieces.map((piece, i) => (i % 2 ? elements?.[piece as NamesIn<Text>] : piece)),
  );
}

/**
 * Returns the translated text in the plural form for `count`, with `count` in place of `{count}`. `english` has the
 * English forms.
 */
export function sayCount(count: number, english: Forms): string {
  const forms = currentLocale.catalogue?.counted[english.other] ?? english;
  const form = forms[new Intl.PluralRules(currentLocale.language).select(count)] ?? forms.other;
  return fillIn(form, { count: sayNumber(count) });
}

/** Translates a text of the server, the sign-in service or the brand. Returns an unknown text unchanged. */
export function sayServed(english: string): string {
  return currentLocale.catalogue?.readServed(english) ?? english;
}

function find(english: string): string {
  return currentLocale.catalogue?.said[english] ?? english;
}
