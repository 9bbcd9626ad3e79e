// Lists the languages of the pages, and chooses the language for a visitor.

/** The languages: tag (BCP 47) and name in the language. The texts in the source code are English. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/** Name of the cookie with the language that the visitor chose, and of the query parameter that sets this cookie. */
export const LANGUAGE_CHOICE = 'lang';
const CHOICE = /* @__PURE__ */ new RegExp(`(?:^|; *)${LANGUAGE_CHOICE}=([^;]*)`);

/** Returns the first supported language of `chosen`, `preferred` and English. The tag `de-AT` counts as `de`. */
export function chooseLanguage(chosen: string | undefined, preferred: readonly string[]): Language {
  const wanted = [chosen, ...preferred].map((tag) => tag?.toLowerCase().split('-', 1)[0] ?? '');
  return wanted.find(isLanguage) ?? 'en';
}

/** Returns the language for a request: that of the cookie, else of `Accept-Language` (RFC 9110, 12.5.4). */
export function readLanguage(headers: { 'accept-language'?: string; cookie?: string }): Language {
  const weighted = (headers['accept-language'] ?? '').split(',').map((range) => {
    const [tag = '', weight = ''] = range.split(';');
    return { tag: tag.trim(), weight: Number(/q=([\d.]+)/.exec(weight)?.[1] ?? 1) };
  });
  const preferred = weighted.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return chooseLanguage(
    CHOICE.exec(headers.cookie ?? '')?.[1],
    preferred.map(({ tag }) => tag),
  );
}

export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}
