// Types of a translation catalogue. A catalogue maps each English text to its translation (docs/decisions/0021).

/** The plural forms of a text, by plural category of Intl.PluralRules, for example 'one'. */
export type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/**
 * Translations into one language. `said` contains the texts of the pages. `readServed` translates a text that the server
 * sent, for example an error message; undefined for an unknown text.
 */
export type Catalogue = {
  said: Readonly<Record<string, string>>;
  /** Texts that depend on a number. The key is the English plural form, for example '{count} codes'. */
  counted: Readonly<Record<string, Forms>>;
  readServed: (english: string) => string | undefined;
};

/** Replaces each `{name}` in `text` by the value of that name. A `{name}` without a value stays unchanged. */
export function fillIn(
  text: string,
  values?: Readonly<Record<string, string | number>>,
  format: (value: string | number) => string = String,
): string {
  return text.replace(/\{(\w+)\}/g, (name, key: string) => format(values?.[key] ?? name));
}
