// Tests the compression and the entity tags of pages.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodePage } from './create-pages.ts';

const TEXT = '<li class="w-1">word</li>'.repeat(4_000);

test('a page is compressed once for each encoding', () => {
  const page = encodePage(TEXT);
  expect(brotliDecompressSync(page.encode('br')).toString()).toBe(TEXT);
  expect(gunzipSync(page.encode('gzip')).toString()).toBe(TEXT);
  for (const encoding of ['br', 'gzip'] as const) {
    expect(page.encode(encoding).length).toBeLessThan(TEXT.length / 20);
    expect(page.encode(encoding)).toBe(page.encode(encoding));
  }
});

test('pages with the same text have the same entity tag, other pages have another', () => {
  expect(encodePage(TEXT).etag).toBe(encodePage(TEXT).etag);
  expect(encodePage(`${TEXT} `).etag).not.toBe(encodePage(TEXT).etag);
});
