// Serves a page that does nothing and weighs as much as another one, to compare with.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transfer } from '../e2e/harness/transfers.ts';

const TYPES = { script: 'text/javascript', font: 'font/woff2' };

/** `earlyUrl`: the same page, whose script comes after its first paint, as ours does. */
export type BarePage = { url: string; earlyUrl: string; close(): void };

const LINKED = '<script type="module" src="/script"></script>';
const LATER = `<script>
  new PerformanceObserver((_, observer) => {
    observer.disconnect();
    document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: '/script' }));
  }).observe({ type: 'paint', buffered: true });
</script>`;

/**
 * Serves a heading, in a page of as many bytes as that of `transfers`, and as many bytes of script and font as theirs, one
 * file of each kind: nothing to run, nothing to draw.
 */
export async function serveBarePage(transfers: Transfer[]): Promise<BarePage> {
  const sum = (kind: Transfer['kind']) =>
    transfers.filter((each) => each.kind === kind).reduce((bytes, each) => bytes + each.bytes, 0);
  const files = new Map(
    (['script', 'font'] as const).map((kind) => [`/${kind}`, { kind, body: `/*${'-'.repeat(sum(kind))}*/` }]),
  );
  const compose = (script: string) =>
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bare</title>' +
    `<meta name="viewport" content="width=device-width"><!--${'.'.repeat(sum('page'))}-->` +
    '<link rel="preload" href="/font" as="font" type="font/woff2" crossorigin>' +
    `${script}</head><body><h1>Bare</h1><p>${'word '.repeat(100)}</p></body></html>`;
  const pages = new Map([
    ['/', compose(LINKED)],
    ['/early', compose(LATER)],
  ]);
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    const page = pages.get(request.url ?? '');
    if (!file && !page) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': file ? TYPES[file.kind] : 'text/html',
      'cache-control': 'no-cache',
    });
    return response.end(file ? file.body : page);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  return { url, earlyUrl: `${url}early`, close: () => server.close() };
}
