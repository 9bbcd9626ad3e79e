// Records the responses that a page loads, with their sizes on the network.
import type { Page, Response } from 'playwright-core';

export type Transfer = {
  url: string;
  /** Response headers; names in lower case. */
  headers: Record<string, string>;
  kind: 'page' | 'script' | 'style' | 'font' | 'other';
  /** Size of the body as sent, compressed and without headers. 0 if the browser had the body in its cache. */
  bytes: number;
  /** The decompressed body of a script; empty for other kinds. */
  text: string;
};

const KINDS: [RegExp, Transfer['kind']][] = [
  [/^text\/html/, 'page'],
  [/javascript/, 'script'],
  [/^text\/css/, 'style'],
  [/^font\//, 'font'],
];

/** Starts to record the responses of `page`. Returns a function that reads all recorded transfers. */
export function recordTransfers(page: Page): () => Promise<Transfer[]> {
  const responses: Response[] = [];
  page.on('response', (response) => responses.push(response));
  return () => Promise.all(responses.map(readTransfer));
}

/** Returns one line for each file, for failure messages. */
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
  // Playwright reports a negative size for a cached response, which counts as 0 here.
  return { url: response.url(), headers, kind, bytes: Math.max(responseBodySize, 0), text };
}
