// Translates every text of the pages into the current language. The English text is the key (0021).
import type { Catalogue, Forms, Language } from '@portal/contract';
import { chooseLanguage, fillIn, LANGUAGE_CHOICE } from '@portal/contract';
import { createElement, Fragment, type ReactNode } from 'react';
import { currentLocale, formatNumber, localeOf, setCurrentLocale } from './format.ts';

/** Type of the placeholders' names in a text. It is `never` if the text has no placeholders or is not a literal. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Type of the arguments that follow the text: no argument, or one object with a value for each placeholder. */
type ValuesOf<Text extends string, Value> = [NamesIn<Text>] extends [never]
  ? []
  : [values: Record<NamesIn<Text>, Value>];

/** Numbers are formatted for the current locale. */
export function t<Text extends string>(english: Text, ...[values]: ValuesOf<Text, string | number>): string {
  return fillIn(find(english), values, (value) => (typeof value === 'number' ? formatNumber(value) : value));
}

/** Returns the translated text with its placeholders replaced by elements, for example links. */
export function tNode<Text extends string>(
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

/** Returns the text in the plural form for `count`, which replaces `{count}`. */
export function tCount(count: number, english: Forms): string {
  return tForms(count, english);
}

/** Returns a function that calls `tCount` with these two forms. */
export function plural(one: string, other: string): (count: number) => string {
  return (count) => tForms(count, { one, other });
}

/** Translates plural forms in a table, such as those of the log's actions. catalogue.test.ts finds the forms. */
export function tForms(count: number, english: Forms): string {
  const forms = currentLocale.catalogue?.counted[english.other] ?? english;
  const form = forms[new Intl.PluralRules(currentLocale.language).select(count)] ?? forms.other;
  return fillIn(form, { count: formatNumber(count) });
}

/** Translates a text of a table, such as `PRODUCT_TEXTS`. catalogue.test.ts finds or adds these texts. */
export function formatLabel(english: string): string {
  return find(english);
}

/** Translates a text of the server, the sign-in service or the brand. Returns an unknown text unchanged. */
export function tServed(english: string): string {
  return currentLocale.catalogue?.readServed(english) ?? english;
}

function find(english: string): string {
  return currentLocale.catalogue?.said[english] ?? english;
}

const CATALOGUES: Record<Exclude<Language, 'en'>, () => Promise<Catalogue>> = {
  de: () => import('@portal/contract/german').then((module) => module.de),
};

/**
 * Loads the catalogue of the language that the server chose for the page. Must be called before the first render. If
 * the catalogue cannot be loaded, the page is in English.
 */
export async function startWords(): Promise<void> {
  const page = document.documentElement;
  if (import.meta.env.DEV) {
    // `vite dev` serves the same page to everybody, so the browser chooses the language.
    const chosen = new URLSearchParams(location.search).get(LANGUAGE_CHOICE) ?? undefined;
    page.lang = chooseLanguage(chosen, navigator.languages);
  }
  const wanted = page.lang as Language;
  const catalogue = wanted === 'en' ? null : await CATALOGUES[wanted]().catch(() => null);
  const language = catalogue ? wanted : 'en';
  // Sets `lang` only if it changes. Otherwise the browser would recompute all styles without need.
  if (page.lang !== language) page.lang = language;
  setCurrentLocale({ language, locale: localeOf(language, navigator.languages), catalogue });
}
