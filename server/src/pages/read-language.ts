// The language in which a browser is to be answered.
import type { IncomingHttpHeaders } from 'node:http';
import { chooseLanguage, LANGUAGE_COOKIE, type Language } from '@portal/contract';

const CHOICE = new RegExp(`(?:^|; *)${LANGUAGE_COOKIE}=([^;]*)`);

/** By the reader's choice, else by what the browser prefers (RFC 9110, 12.5.4), as the pages themselves would choose. */
export function readLanguage(headers: IncomingHttpHeaders): Language {
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
