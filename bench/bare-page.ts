// Serves a baseline for page benchmarks: a page that has as many bytes as a page of the portal, but no logic.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transfer } from '../e2e/harness/transfers.ts';

const TYPES = { script: 'text/javascript', font: 'font/woff2' };

/**
 * The baseline page has two addresses. At `url` the HTML links the script. At `earlyUrl` the page adds the script only
 * after the first paint, as the portal's pages do. So the first paint does not wait for the script.
 */
export type BarePage = { url: string; earlyUrl: string; close(): void };

const LINKED_SCRIPT = '<script type="module" src="/script"></script>';
const DEFERRED_SCRIPT = `<script>
  new PerformanceObserver((_, observer) => {
    observer.disconnect();
    document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: '/script' }));
  }).observe({ type: 'paint', buffered: true });
</script>`;

/**
 * Serves a page with a heading, a paragraph, one script and one font. `transfers` lists the downloads of a page of the
 * portal. HTML, script and font are filled up to the sizes in `transfers`. The script contains only a comment, and no
 * text uses the font.
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
    ['/', compose(LINKED_SCRIPT)],
    ['/early', compose(DEFERRED_SCRIPT)],
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
