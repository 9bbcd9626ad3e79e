// Lists the languages of the pages, and chooses the language for a visitor.

/**
 * Each language: its tag (BCP 47) and its name in that language. The texts in the source code are in the first
 * language, English.
 */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/**
 * Name of the cookie that stores the language that the visitor chose. It is also the name of a query parameter: a page
 * that is opened with this parameter sets the cookie.
 */
export const LANGUAGE_CHOICE = 'lang';
const CHOICE = /* @__PURE__ */ new RegExp(`(?:^|; *)${LANGUAGE_CHOICE}=([^;]*)`);

/**
 * Returns the first supported language of these: `chosen`, the languages in `preferred`, and English. A tag with a
 * region counts as its language: `de-AT` counts as `de`.
 */
export function chooseLanguage(chosen: string | undefined, preferred: readonly string[]): Language {
  const wanted = [chosen, ...preferred].map((tag) => tag?.toLowerCase().split('-', 1)[0] ?? '');
  return wanted.find(isLanguage) ?? 'en';
}

/**
 * Returns the language for the response to a request with these `headers`. The language in the visitor's cookie takes
 * precedence over the languages that the browser prefers (Accept-Language; RFC 9110, 12.5.4).
 */
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

/** Returns whether the portal supports the language with this tag. */
export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}
