// Types of a translation catalogue, which maps each English text to another language (docs/decisions/0021).

/** Plural forms of a text, by the categories of Intl.PluralRules. */
export type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/**
 * Translations into one language. `said`: texts of the pages. `readServed`: looks up texts that came from the server,
 * with their values already filled in.
 */
export type Catalogue = {
  said: Readonly<Record<string, string>>;
  /** Texts with a count; the key is the English plural form. */
  counted: Readonly<Record<string, Forms>>;
  readServed: (english: string) => string | undefined;
};

/** Replaces each `{name}` in `text` by its value. A name without a value stays. */
export function fillIn(text: string, values?: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (name, key: string) => String(values?.[key] ?? name));
}
