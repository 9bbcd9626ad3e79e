import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { makeEncodedPage } from './encoded-page.ts';

// Words that come again at distances, where the qualities differ.
const TEXT = Array.from(
  { length: 4_000 },
  (_, at) => `<li class="w-${at % 61}">${(at * 7919) % 3571}</li>`,
).join('');

test('whoever asks first gets a page that is compressed quickly, and a page that is asked for again is made as small as it can be', async () => {
  const page = makeEncodedPage(TEXT);
  const quick = page.encode('br');
  await expect.poll(() => page.encode('br')).not.toBe(quick);
  const best = page.encode('br');
  expect(best.length).toBeLessThan(quick.length);
  for (const bytes of [quick, best]) expect(brotliDecompressSync(bytes).toString()).toBe(TEXT);
  expect(gunzipSync(page.encode('gzip')).toString()).toBe(TEXT);
});

test('the same words have the same fingerprint, others another', () => {
  expect(makeEncodedPage(TEXT).etag).toBe(makeEncodedPage(TEXT).etag);
  expect(makeEncodedPage(`${TEXT} `).etag).not.toBe(makeEncodedPage(TEXT).etag);
});
