// What a page fetches, as it came over the wire.
import type { Page, Response } from 'playwright-core';

export type Transfer = {
  url: string;
  /** Of the answer; lower case. */
  headers: Record<string, string>;
  kind: 'page' | 'script' | 'style' | 'font' | 'other';
  /** Of the body, compressed as it came; headers not counted. None when it came from the browser's cache. */
  bytes: number;
  /** The body, no longer compressed. */
  text: string;
};

const KINDS: [RegExp, Transfer['kind']][] = [
  [/^text\/html/, 'page'],
  [/javascript/, 'script'],
  [/^text\/css/, 'style'],
  [/^font\//, 'font'],
];

/** From now on keeps what `page` fetches; answers how to read it. */
export function recordTransfers(page: Page): () => Promise<Transfer[]> {
  const responses: Response[] = [];
  page.on('response', (response) => responses.push(response));
  return () => Promise.all(responses.map(readTransfer));
}

/** A line a file, for whoever reads of a failure. */
export function listTransfers(transfers: Transfer[]): string {
  const lines = transfers.map(
    ({ kind, bytes, url }) => `${kind.padEnd(7)}${String(bytes).padStart(8)}  ${url}`,
  );
  return `\n${lines.join('\n')}\n`;
}

async function readTransfer(response: Response): Promise<Transfer> {
  const headers = await response.allHeaders();
  const type = headers['content-type'] ?? '';
  const kind = KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'other';
  const { responseBodySize } = await response.request().sizes();
  const text = kind === 'script' ? await response.text() : '';
  // Of what was cached Playwright tells a size below nothing.
  return { url: response.url(), headers, kind, bytes: Math.max(responseBodySize, 0), text };
}
