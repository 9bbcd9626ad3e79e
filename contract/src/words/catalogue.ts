// What a language is: its words for each English text (docs/decisions/0021).

/** A text that counts, by the categories of Intl.PluralRules. */
export type Forms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/** What the pages say in one language, for each English text and for what is said elsewhere. */
export type Catalogue = {
  said: Readonly<Record<string, string>>;
  /** Texts that count, by what English says of many. */
  counted: Readonly<Record<string, Forms>>;
  readServed: (english: string) => string | undefined;
};

/** `text` with a value for each name in braces that has one. */
export function fillIn(text: string, values?: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (name, key: string) => String(values?.[key] ?? name));
}
