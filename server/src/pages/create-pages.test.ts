// Tests the pages that the server renders: content, titles, languages, missing products and failures.
import { randomUUID } from 'node:crypto';
import { type Language, PRODUCT_TEXTS, product as publicProduct } from '@portal/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct, utcDayOf } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { brandStyles, readBrand } from '../brand.ts';
import type { Database } from '../db/database.ts';
import { type BuiltPages, createPages, type PagesOptions, readBuiltPages } from './create-pages.ts';

const EVIL = `"'><script>alert(1)</script><!-- &amp; \u2028 שלום`;

/**
 * Bytes that a server can send before the first acknowledgement: TCP's initial congestion window of ten packets (14,480
 * bytes), minus 1,100 for the HTTP headers.
 */
const INITIAL_WINDOW_BYTES = 13_380;

let db: Database;
let styles: string;
let built: BuiltPages;
const logged: string[] = [];
const log = pino({}, { write: (line) => logged.push(line) });
beforeAll(async () => {
  styles = brandStyles(await readBrand(null));
  const found = await readBuiltPages();
  if (found === null) throw new Error('Build the pages first: npm run build');
  built = found;
  db = await openTestDatabase();
});
afterAll(() => db?.close());

async function openPages(more: Partial<PagesOptions> = {}) {
  const brand = await readBrand(null);
  const signIn = { url: 'https://portal.example/auth/v1', anon_key: null, google: false };
  const find = createPages({
    db,
    now: () => new Date(),
    timeZone: 'UTC',
    dayOf: utcDayOf,
    built,
    publicUrl: 'https://portal.example',
    brand,
    signIn,
    ...more,
  });
  return async (path: string, language: Language = 'en') => {
    const { status, page } = await find({ path, language, log });
    const html = page.html.toString();
    const [, root = ''] = /<div id="root">(.*)<\/div>\s*<\/body>/s.exec(html) ?? [];
    const [, data = '{}'] = /id="page-data">(.*?)<\/script>/s.exec(html) ?? [];
    const metas = html.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)">/g);
    return {
      status,
      html,
      page,
      words: root.replace(/<[^>]+>/g, ' '),
      title: /<title>(.*?)<\/title>/.exec(html)?.[1],
      data: JSON.parse(data) as unknown,
      meta: Object.fromEntries(Array.from(metas, ([, name, content]) => [name, content])),
    };
  };
}

const isShell = ({ html }: { html: string }) => html.includes('<div id="root"></div>');

test('home is sent with its text, its title and the tags of shared links, the same on its three paths', async () => {
  const open = await openPages();
  const home = await open('/');
  expect(home.words).toContain('Your course comes with benefits.');
  expect(home.words).toContain('Login to redeem your coupons');
  expect(home.html).not.toContain('/brand.css');
  expect(home.html.split(`<style>${styles}</style>`)).toHaveLength(2);
  expect(home.title).toBe('Partner benefits');
  expect(home.meta).toMatchObject({
    description: expect.stringMatching(/^Partner benefits are part of your programme\./),
    'og:title': 'Partner benefits',
    'og:url': 'https://portal.example/',
    'og:image': 'https://portal.example/share.png',
    'og:image:width': '1200',
  });
  expect(home.html).toContain('<link rel="canonical" href="https://portal.example/">');
  for (const path of ['/accelerator', '/Fellowship/']) {
    const { words, title, meta } = await open(path);
    expect({ words, title, meta }).toEqual({ words: home.words, title: home.title, meta: home.meta });
  }
});

test('home in English fits into the initial congestion window of TCP: ten packets, with the headers', async () => {
  const { page } = await (await openPages())('/');
  expect(page.encode('br').length).toBeLessThanOrEqual(INITIAL_WINDOW_BYTES);
});

test('a product page is sent with its text, its data, its styles, and links to the scripts of its screen', async () => {
  const product = await addProduct(db, { description: `Line one.\n\n${'long '.repeat(60)}` });
  const open = await openPages();
  const { status, words, title, data, meta, html } = await open(`/product/${product.product_id}`);
  expect(status).toBe(200);
  expect(words).toContain(product.name);
  expect(words).toContain('Redeem Now');
  expect(title).toBe(product.name);
  // The page contains only the public fields of the product, not `version` and other fields for staff (R-LIFE-12).
  expect(data).toEqual({ product: publicProduct.parse(product) });
  expect(meta.description).toMatch(/^Line one\. long .{100,150}…$/);
  expect(meta['og:url']).toBe(`https://portal.example/product/${product.product_id}`);
  expect(html).toMatch(/<link rel="stylesheet" crossorigin href="\/assets\/main-[^"]+\.css">/);
  const [, scripts = ''] = /<template id="scripts">(.*?)<\/template>/s.exec(html) ?? [];
  expect(scripts).toMatch(/<link rel="modulepreload" crossorigin href="\/assets\/product-[^"]+\.js">/);
  expect(html.replace(scripts, '')).not.toMatch(/<script type="module"|<link rel="modulepreload"/);
});

test('a page is rendered in the requested language, with a link to its catalogue', async () => {
  const product = await addProduct(db);
  const open = await openPages();
  for (const path of ['/', `/product/${product.product_id}`]) {
    const [english, german] = [await open(path), await open(path, 'de')];
    expect(english.html).toContain('<html lang="en">');
    expect(english.words).toContain('Terms');
    expect(german.html).toContain('<html lang="de">');
    expect(german.words).not.toContain('Terms');
    expect(german.html).toMatch(/<link rel="modulepreload" crossorigin href="\/assets\/de-[^"]+\.js">/);
    expect((await open(path)).page).toBe(english.page);
  }
  expect((await open('/', 'de')).title).toBe('Partnervorteile · Partner Benefits');
});

test('an empty page also has the language and a link to its catalogue', async () => {
  const open = await openPages();
  const [english, german] = [await open('/admin'), await open('/admin', 'de')];
  expect(english.html).toContain('<html lang="en">');
  expect(english.html).not.toContain('/assets/de-');
  expect(german.html).toContain('<html lang="de">');
  expect(german.html).toMatch(/<link rel="modulepreload" crossorigin href="\/assets\/de-[^"]+\.js">/);
});

test('A-50: the title is the page_title of the product, if it has one', async () => {
  const product = await addProduct(db, { page_title: 'Write better' });
  const { title, meta } = await (await openPages())(`/product/${product.product_id}`);
  expect([title, meta['og:title']]).toEqual(['Write better', 'Write better']);
});

test('the variant for signed-in people has no sign-in button and no text for visitors only', async () => {
  const product = await addProduct(db);
  const open = await openPages();
  for (const path of ['/', `/product/${product.product_id}`]) {
    const { html } = await open(path);
    const [, forSignedIn = ''] = /<template id="for-signed-in">(.*?)<\/template>/s.exec(html) ?? [];
    expect(forSignedIn, path).toContain('Loading...');
    expect(forSignedIn, path).not.toMatch(/>Login<|Your course comes with/);
  }
});

test('all texts of a product are escaped', async () => {
  const names = PRODUCT_TEXTS.map(({ name }) => name).filter((name) => name !== 'url');
  const fields = Object.fromEntries(names.map((name) => [name, EVIL]));
  const product = await addProduct(db, fields);
  const { html, data, words } = await (await openPages())(`/product/${product.product_id}`);
  expect(html).not.toContain('<script>alert');
  expect(html.match(/<\/script>/g)?.length).toBe(html.match(/<script/g)?.length);
  // The page contains only the public fields of the product, not `version` and other fields for staff (R-LIFE-12).
  expect(data).toEqual({ product: publicProduct.parse(product) });
  expect(words).toContain('שלום');
});

test('a page has the name and picture of the brand, escaped', async () => {
  const { brand } = await readBrand(null);
  const own = { ...brand, name: `$& ${EVIL}`, share_image_url: 'https://cdn.example/a.png?b=1&c=2' };
  const { html, meta } = await (await openPages({ brand: { brand: own, accent: '#000' } }))('/');
  expect(html).not.toContain('<script>alert');
  expect(meta['og:site_name']).toContain('$&amp; &quot;');
  expect(meta['og:image']).toBe('https://cdn.example/a.png?b=1&amp;c=2');
  expect(meta).not.toHaveProperty('og:image:width');
});

test('R-PROD-02: a missing product gets a page that says so, with status 404', async () => {
  const open = await openPages();
  for (const id of [randomUUID(), 'nope', 'a%2Fb', '%00']) {
    const { status, words, data, meta } = await open(`/product/${id}`);
    expect([status, data], id).toEqual([404, { product: null }]);
    expect(words, id).toContain('Product Not Found');
    expect(meta.robots, id).toBe('noindex');
  }
});

test('a changed product is shown at once, and the page of an unchanged one is cached', async () => {
  const product = await addProduct(db);
  const open = await openPages();
  const path = `/product/${product.product_id}`;
  const first = await open(path);
  expect((await open(path)).page).toBe(first.page);
  await db.query('update product set name = $2 where product_id = $1', [product.product_id, 'Renamed']);
  expect((await open(path)).words).toContain('Renamed');
});

test('R-LIFE-12: an archived product still has its page, with its status', async () => {
  const product = await addProduct(db);
  await db.query('update product set archived_at = now() where product_id = $1', [product.product_id]);
  const { status, data } = await (await openPages())(`/product/${product.product_id}`);
  expect([status, data]).toEqual([200, { product: { ...publicProduct.parse(product), status: 'archived' } }]);
});

test('if a hosted service reports Google only after the start, the pages have it at once', async () => {
  const signIn = { url: 'https://portal.example/auth/v1', anon_key: null, google: false };
  const open = await openPages({ signIn });
  for (const path of ['/', '/admin']) {
    signIn.google = false;
    expect((await open(path)).html).toContain('"google":false');
    signIn.google = true;
    expect((await open(path)).html).toContain('"google":true');
  }
});

test('a busy database delays no page: the product page is sent empty, home is unchanged', async () => {
  const product = await addProduct(db);
  const open = await openPages();
  const path = `/product/${product.product_id}`;
  await db.transaction(async (tx) => {
    await tx.execute('lock table product in access exclusive mode');
    const [waited, alike] = await Promise.all([open(path), open(path)]);
    expect([waited.status, isShell(waited), isShell(alike)]).toEqual([200, true, true]);
    expect(waited.html).not.toContain('noindex');
    expect((await open('/')).words).toContain('Your course');
  });
  expect(logged.join()).toContain('a page was sent without its product');
  await expect.poll(async () => (await open(path)).words).toContain(product.name);
});

test('an error of a screen is logged, and the page is sent empty', async () => {
  const renderPage = () => {
    throw new Error('no such screen');
  };
  const home = await (await openPages({ built: { ...built, renderPage } }))('/');
  expect([home.status, isShell(home)]).toEqual([200, true]);
  expect(logged.join()).toContain('no such screen');
});

test('without a build every page says so', async () => {
  const open = await openPages({ built: null });
  for (const path of ['/', '/admin', `/product/${randomUUID()}`]) {
    expect((await open(path)).html).toContain('Not built');
  }
});
