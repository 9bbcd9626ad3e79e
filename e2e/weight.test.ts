// Tests the cost of a first visit: the bytes of each kind of file, no unused code, and no layout shift.
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Product } from '@portal/contract';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { signIn } from './harness/api.ts';
import { openPerson, see, storeSession } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { recordShifts } from './harness/layout-shift.ts';
import { listTransfers, recordTransfers, type Transfer } from './harness/transfers.ts';

const ASSETS = resolve(import.meta.dirname, '../web/dist/assets');
const LEARNER = 'waage@learner.example';
const CODE = 'WEIGHT-1';

// Limits in bytes. The limits for scripts are in script/script-budgets.ts.
const STYLES = 13_000;
/** Visitors load the font for text; learners also load the font for codes. */
const VISITOR_FONTS = 32_000;
const LEARNER_FONTS = 54_000;
/** Bytes that fit into one network packet. Compression does not make such a small response faster. */
const ONE_PACKET = 1000;

/**
 * Parts of the web application, each with a string that only this part contains. If a built file contains the string,
 * the file contains this part.
 */
const PARTS = {
  'the sign-in client': 'code_challenge',
  'a dialog': 'showModal',
  'administrators’ pages': '/api/admin/coupons/bulk',
  'another language': 'Partnervorteile',
};
const ALL_PARTS = Object.keys(PARTS);
const NOT_SIGN_IN = ALL_PARTS.filter((part) => part !== 'the sign-in client');

const fixture = setFixture();
let product: Product;
let learner: BrowserContextOptions;

beforeAll(async () => {
  product = await offerProduct(fixture, { learners: [LEARNER], codes: [CODE] });
  learner = storeSession(fixture.portal.url, await signIn(fixture.portal, LEARNER));
});

const visits = [
  {
    name: 'home of a visitor',
    path: () => '/',
    words: 'Login to redeem your coupons',
    without: ALL_PARTS,
  },
  {
    name: 'product page of a visitor',
    path: () => `/product/${product.product_id}`,
    words: 'How To Redeem Your Offer',
    without: ALL_PARTS,
  },
  {
    name: 'product page of a learner',
    signedIn: true,
    path: () => `/product/${product.product_id}`,
    words: CODE,
    without: NOT_SIGN_IN,
  },
];

test.each(visits)(
  '$name, first visit: within the limits, no unused code, no other origins, compressed, cached for ever, no layout shift',
  async ({ signedIn, path, words, without }) => {
    const { page } = await openPerson(fixture, signedIn ? learner : {});
    const readShifts = await recordShifts(page);
    const readTransfers = recordTransfers(page);
    await page.goto(path());
    await see(page, words);
    await page.waitForLoadState('networkidle');
    const transfers = await readTransfers();
    const table = listTransfers(transfers);
    expect(await sumStyleBytes(page, transfers), `style sheets${table}`).toBeLessThanOrEqual(STYLES);
    const fonts = signedIn ? LEARNER_FONTS : VISITOR_FONTS;
    expect(sumBytes(transfers, 'font'), `fonts${table}`).toBeLessThanOrEqual(fonts);
    expect(findParts(transfers).filter((part) => without.includes(part))).toEqual([]);
    expect(transfers.filter(({ url }) => new URL(url).origin !== fixture.portal.url)).toEqual([]);
    expect(transfers.map(findWrongHeader).filter((fault) => fault !== null)).toEqual([]);
    expect(await readShifts()).toEqual([]);
    expect(await listFontPreloads(page)).toEqual([expect.stringMatching(/instrument-sans-latin-/)]);
  },
);

test('a learner’s home with one card has the window’s height and no layout shift', async () => {
  const { page } = await openPerson(fixture, { ...learner, viewport: { width: 1440, height: 1000 } });
  const readShifts = await recordShifts(page);
  await page.goto('/');
  await page.getByRole('article').waitFor();
  await page.getByRole('contentinfo').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(1000);
  expect(await readShifts()).toEqual([]);
});

test('the files of the login dialog, which are preloaded before their import, are transferred once', async () => {
  const { page } = await openPerson(fixture);
  const readTransfers = recordTransfers(page);
  await page.goto('/');
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  await see(page, 'Sign In to Redeem');
  await page.waitForLoadState('networkidle');
  const transfers = await readTransfers();
  const asked = transfers.filter(({ url }) => url.includes('/login-dialog-'));
  expect(asked.map(({ bytes }) => bytes > 0)).toEqual([true]);
  const overWire = transfers.filter(({ bytes }) => bytes > 0).map(({ url }) => url);
  expect(overWire).toEqual([...new Set(overWire)]);
});

test('the strings that identify parts of the code exist in the built files', async () => {
  const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(names.map((name) => readFile(`${ASSETS}/${name}`, 'utf8')));
  for (const [part, word] of Object.entries(PARTS)) {
    expect(texts.filter((text) => text.includes(word)).length, part).toBe(1);
  }
});

function sumBytes(transfers: Transfer[], kind: Transfer['kind']): number {
  return transfers.filter((each) => each.kind === kind).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Returns the bytes of loaded style sheets plus the compressed size of the inline styles. */
async function sumStyleBytes(page: Page, transfers: Transfer[]): Promise<number> {
  const inPage = await page.locator('style').evaluateAll((styles) => styles.map((each) => each.textContent));
  expect(inPage.join('').length).toBeGreaterThan(ONE_PACKET);
  return sumBytes(transfers, 'style') + brotliCompressSync(inPage.join('')).length;
}

function findParts(transfers: Transfer[]): string[] {
  const found = Object.entries(PARTS).filter(([, word]) => transfers.some(({ text }) => text.includes(word)));
  return found.map(([part]) => part);
}

/** Returns the path and the wrong value if a header of the response is wrong; otherwise null. */
function findWrongHeader({ url, kind, headers, bytes }: Transfer): string | null {
  const { pathname } = new URL(url);
  const cache = headers['cache-control'];
  if (pathname.startsWith('/assets/') && cache !== 'public, max-age=31536000, immutable')
    return `${pathname}: ${cache}`;
  if (kind === 'page' && cache !== 'no-cache') return `${pathname}: ${cache}`;
  if (kind === 'font') return headers['content-type'] === 'font/woff2' ? null : `${pathname}: not woff2`;
  const isText = kind === 'page' || kind === 'script' || kind === 'style';
  return isText && bytes > ONE_PACKET && headers['content-encoding'] !== 'br'
    ? `${pathname}: not compressed`
    : null;
}

function listFontPreloads(page: Page): Promise<string[]> {
  return page
    .locator('link[rel=preload][as=font]')
    .evaluateAll((links) => links.map((link) => (link as HTMLLinkElement).href));
}
