// The languages of the pages, and which of them somebody gets.

/** Each language by its tag (BCP 47) and its own name; the first is the one that all texts are written in. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/** The reader's own choice: a page asked for with it in the query sets the cookie of that name. */
export const LANGUAGE_CHOICE = 'lang';
const CHOICE = /* @__PURE__ */ new RegExp(`(?:^|; *)${LANGUAGE_CHOICE}=([^;]*)`);

/** The language that was chosen, else the first of the preferred ones (`de-AT` counts as `de`) that is here, else English. */
export function chooseLanguage(chosen: string | undefined, preferred: readonly string[]): Language {
  const wanted = [chosen, ...preferred].map((tag) => tag?.toLowerCase().split('-', 1)[0] ?? '');
  return wanted.find(isLanguage) ?? 'en';
}

/**
 * The language in which a browser is to be answered, by the headers of its request: the reader's choice, else what the browser
 * prefers (RFC 9110, 12.5.4).
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

/** True of the tag of a language that is here. */
export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}
