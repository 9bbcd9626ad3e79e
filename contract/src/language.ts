// Languages of the pages, and the choice of one for a visitor.

/** Each language by its tag (BCP 47), with its own name. The first is the source language of all texts. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/**
 * Name of the query parameter and of the cookie with the visitor's choice. A page opened with the parameter sets the
 * cookie.
 */
export const LANGUAGE_CHOICE = 'lang';
const CHOICE = /* @__PURE__ */ new RegExp(`(?:^|; *)${LANGUAGE_CHOICE}=([^;]*)`);

/**
 * Returns `chosen` if it is supported, else the first supported one of `preferred` (`de-AT` counts as `de`), else
 * English.
 */
export function chooseLanguage(chosen: string | undefined, preferred: readonly string[]): Language {
  const wanted = [chosen, ...preferred].map((tag) => tag?.toLowerCase().split('-', 1)[0] ?? '');
  return wanted.find(isLanguage) ?? 'en';
}

/**
 * Returns the language for the response to a request: the choice in the cookie, else the browser's preference (RFC
 * 9110, 12.5.4).
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

/** True if the portal supports the language. */
export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}
