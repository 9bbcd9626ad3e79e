// Says every text of the pages in the reader's language. The English text is the key (0021).
import { type Forms, fillIn } from '@portal/contract';
import { createElement, Fragment, type ReactNode } from 'react';
import { currentLocale } from './current-locale.ts';
import { sayNumber } from './format.ts';

/** The names in braces of a text; `never` where it is not written out. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** What a text needs beside itself: nothing, or a value for each name. */
type ValuesOf<Text extends string, Value> = [NamesIn<Text>] extends [never]
  ? []
  : [values: Record<NamesIn<Text>, Value>];

/** A text, with a value for each name in braces. */
export function say<Text extends string>(
  english: Text,
  ...[values]: ValuesOf<Text, string | number>
): string {
  return fillIn(find(english), values);
}

/** As `say`, where what stands in braces is an element: a link, an address in bold. */
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

/** A text that depends on a number, which is its `{count}`. */
export function sayCount(count: number, english: Forms): string {
  const forms = currentLocale.catalogue?.counted[english.other] ?? english;
  const form = forms[new Intl.PluralRules(currentLocale.language).select(count)] ?? forms.other;
  return fillIn(form, { count: sayNumber(count) });
}

/** What the server, the sign-in service or the brand says, where the catalogue knows it; else as it came. */
export function sayServed(english: string): string {
  return currentLocale.catalogue?.readServed(english) ?? english;
}

function find(english: string): string {
  return currentLocale.catalogue?.said[english] ?? english;
}
