// Returns the HTML page for a path. The server renders the home page and the product pages; the browser renders all
// other screens. Reads the built web application: page template, inline script, files of each screen, and render
// function.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Language, PageData, PageSettings, Product, RenderedPage, RenderPage } from '@portal/contract';
import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import { type BrandSettings, brandStyles } from '../brand.ts';
import type { Clock } from '../day.ts';
import { type Db, isUuid } from '../db/database.ts';
import { escapeHtml } from '../escape-html.ts';
import { findProduct } from '../features/products/products.sql.ts';
import { VERSION } from '../version.ts';

const DIST = new URL('../../../web/dist/', import.meta.url);
const MANIFEST = new URL('.vite/manifest.json', DIST);
// Keys of the manifest, in which Vite lists the built files. The key of a built file is the path of its source file.
const MAIN = 'src/main.tsx';
const FIRST_SCRIPT = 'src/first-script.ts';
const SIGN_IN_CLIENT = '../node_modules/@supabase/auth-js/dist/module/index.js';
const TEXT_FONT =
  '../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2';
const PARTS = {
  en: [],
  de: ['../contract/src/words/de.ts'],
  product: ['src/learner/product.tsx'],
  callback: ['src/sign-in/callback.tsx'],
};

/** An optional part of a page, which needs additional files: the translations of a language, or a screen. */
export type Part = Language | keyof typeof PARTS;

export type BuiltPages = {
  /** Folder of the built files that browsers download. */
  folder: URL;
  /** Content of web/index.html, with placeholders such as `{{title}}`. */
  template: string;
  /** The inline script in the head of every page. */
  firstScript: string;
  /**
   * Returns the HTML tags for a page with `parts`. `head` contains tags for the head of the page. `scripts` contains
   * tags that the inline script of the page inserts later.
   */
  writeTags(parts: readonly Part[]): { head: string; scripts: string };
  renderPage: RenderPage;
};

/** The manifest of Vite; see 'Backend Integration' in the documentation of Vite. */
type Manifest = Record<string, { file: string; css?: string[]; imports?: string[] }>;

/** Reads web/dist. Returns null if the web application was not built. Throws if a built file is missing. */
export async function readBuiltPages(): Promise<BuiltPages | null> {
  const written = await readFile(MANIFEST, 'utf8').catch(() => null);
  if (written === null) return null;
  const manifest = JSON.parse(written) as Manifest;
  const find = (key: string) => {
    const found = manifest[key];
    if (!found) throw new Error(`${key} is not among the built files`);
    return found;
  };
  for (const key of Object.values(PARTS).flat()) find(key);
  const listImports = (key: string): string[] => [key, ...(find(key).imports ?? []).flatMap(listImports)];
  const [main, first, client, font] = [MAIN, FIRST_SCRIPT, SIGN_IN_CLIENT, TEXT_FONT].map(
    (key) => find(key).file,
  );
  const firstScript = (await readFile(new URL(first ?? '', DIST), 'utf8')).trim();
  const writeTags: BuiltPages['writeTags'] = (parts) => {
    const keys = new Set([MAIN, ...parts.flatMap((part) => PARTS[part])].flatMap(listImports));
    const files = Array.from(keys, find);
    const head = [
      `<script data-client="/${client}">${firstScript}</script>`,
      `<link rel="preload" href="/${font}" as="font" type="font/woff2" crossorigin>`,
      ...files.flatMap(({ css = [] }) =>
        css.map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
      ),
    ];
    const scripts = files.map(({ file }) => `<link rel="modulepreload" crossorigin href="/${file}">`);
    scripts.push(`<script type="module" crossorigin src="/${main}"></script>`);
    return { head: head.join(''), scripts: scripts.join('') };
  };
  const rendering = await import(new URL('server/render-page.js', DIST).href);
  const { renderPage, template } = rendering as { renderPage: RenderPage; template: string };
  return { folder: DIST, template, firstScript, writeTags, renderPage };
}

export type PagesOptions = Clock & {
  db: Db;
  built: BuiltPages | null;
  publicUrl: string;
  timeZone: string;
  brand: BrandSettings;
  /** The field `google` can change while the portal runs, when a hosted sign-in service reports its providers. */
  signIn: PageSettings['sign_in'];
};

export type PageResponse = { status: 200 | 404; page: EncodedPage };

/** Paths of the home page (R-ROUTE-01 to R-ROUTE-03). Visitors see the same page on all three paths. */
const LANDING = ['/', '/accelerator', '/fellowship'];
const PRODUCT = /^\/product\/([^/]+)\/?$/i;
/**
 * Path of the page for a missing product. All missing products have the same page, so that the cache contains it once.
 */
const NO_PRODUCT = '/product/unknown';
const PRODUCT_TIMEOUT_MS = 500;
/** Size of the page cache in bytes of HTML: about 800 pages of 20 kB. Their compressed copies take a third more memory. */
const CACHE_SIZE = 16_000_000;

type PageRequest = { path: string; language: Language; log: Pick<FastifyBaseLogger, 'warn' | 'error'> };

/**
 * Returns a function that returns the page for a path without query. Rendered pages are cached. The cache key contains
 * the data of the page, so a page with changed data is rendered again.
 */
export function createPages(options: PagesOptions): (request: PageRequest) => Promise<PageResponse> {
  const { db, built, publicUrl, signIn, timeZone } = options;
  const { brand } = options.brand;
  const notBuilt = encodePage('<!doctype html><title>Not built</title>');
  if (built === null) return async () => ({ status: 200, page: notBuilt });
  const findProduct = createProductLookup(db, () => options.dayOf(options.now()));
  const styles = brandStyles(options.brand);
  const cache = new LRUCache<string, EncodedPage>({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ html }) => html.length,
  });
  const make = (view: PageView): EncodedPage => {
    const key = JSON.stringify(view);
    const cached = cache.get(key);
    if (cached) return cached;
    const rendered = view.data && built.renderPage({ ...view, data: view.data });
    const page = encodePage(composePage(built, styles, view, rendered));
    cache.set(key, page);
    return page;
  };

  return async ({ path, language, log }) => {
    const empty = {
      path: '',
      language,
      settings: { brand, sign_in: signIn, version: VERSION, time_zone: timeZone },
      isPublic: true,
    };
    const render = (view: Partial<PageView> & { path: string }): EncodedPage => {
      try {
        return make({ ...empty, address: `${publicUrl}${view.path}`, ...view });
      } catch (error) {
        log.error({ err: error }, 'a page could not be rendered and was sent empty');
        return make(empty);
      }
    };
    const normalised = path.replace(/(.)\/$/, '$1').toLowerCase();
    if (LANDING.includes(normalised))
      return { status: 200, page: render({ path: normalised, data: {}, address: `${publicUrl}/` }) };
    const id = PRODUCT.exec(path)?.[1];
    if (id === undefined) {
      const part = normalised === '/auth/callback' ? 'callback' : undefined;
      return { status: 200, page: make({ ...empty, isPublic: false, part }) };
    }
    const product = await findProduct(decodeURI(id).toLowerCase()).catch((error: unknown) => {
      log.warn({ reason: String(error) }, 'a page was sent without its product');
      return undefined;
    });
    if (product === undefined) return { status: 200, page: make(empty) };
    const view = { data: { product }, part: 'product' } as const;
    if (product === null)
      return { status: 404, page: render({ ...view, path: NO_PRODUCT, isPublic: false }) };
    return { status: 200, page: render({ ...view, path: `/product/${product.product_id}` }) };
  };
}

/** All values on which the HTML of a page depends. Their JSON text is the key of the page cache. */
type PageView = {
  /** Path of the page, without its query. */
  path: string;
  language: Language;
  settings: PageSettings;
  /** If false, the page contains a tag that tells search engines not to index the page. */
  isPublic: boolean;
  part?: Part;
  /** Data with which the server renders the screen. Without data, the page is empty and the browser renders it. */
  data?: PageData;
  /** Absolute URL of the page, for search engines and shared links. */
  address?: string;
};

/** Returns the HTML of a page. Escapes all values except `rendered`, which is HTML. */
function composePage(
  built: BuiltPages,
  styles: string,
  { language, settings, isPublic, part = language, data, address = '' }: PageView,
  rendered?: RenderedPage,
): string {
  const tags = built.writeTags([language, part]);
  const values: Record<string, string> = {
    language,
    title: escapeHtml(rendered?.title ?? 'Partner benefits'),
    noscript: escapeHtml(rendered?.withoutScript ?? 'This page needs JavaScript.'),
    head: [
      tags.head,
      `<style>${styles}</style>`,
      writeJson('page-settings', settings),
      data ? writeJson('page-data', data) : '',
      isPublic ? '' : '<meta name="robots" content="noindex">',
      isPublic && rendered ? describe(rendered, settings, address) : '',
      `<template id="scripts">${tags.scripts}</template>`,
    ].join(''),
    body: rendered
      ? `<template id="for-signed-in">${rendered.forSignedIn}</template><div id="root">${rendered.forVisitors}</div>`
      : '<div id="root"></div>',
  };
  return built.template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

/** Returns the tags that search engines and previews of shared links read. */
function describe({ title, description }: RenderedPage, { brand }: PageSettings, address: string): string {
  const image = new URL(brand.share_image_url ?? '/share.png', address).href;
  const ours = { 'image:width': '1200', 'image:height': '630', 'image:alt': 'A ticket with a perforation' };
  const texts = { type: 'website', site_name: brand.name, title, description, url: address, image };
  const properties = Object.entries(brand.share_image_url === null ? { ...texts, ...ours } : texts);
  return [
    `<link rel="canonical" href="${escapeHtml(address)}">`,
    `<meta name="description" content="${escapeHtml(description)}">`,
    ...properties.map(([name, value]) => `<meta property="og:${name}" content="${escapeHtml(value)}">`),
    '<meta name="twitter:card" content="summary_large_image">',
  ].join('');
}

// Escapes `<`, so that no value can contain the end tag of the script element.
function writeJson(id: string, value: unknown): string {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="${id}">${json}</script>`;
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const COMPRESS = { br: (html: Buffer) => brotliCompressSync(html, BROTLI), gzip: gzipSync };

/**
 * A page with its compressed copies. `html` is uncompressed. `etag` is a weak entity tag: it is the same for all
 * encodings. `encode` returns the compressed page.
 */
type EncodedPage = { html: Buffer; etag: string; encode(encoding: keyof typeof COMPRESS): Buffer };

export function encodePage(text: string): EncodedPage {
  const html = Buffer.from(text);
  const hash = createHash('sha256').update(html).digest('base64url').slice(0, 22);
  const encoded = new Map<string, Buffer>();
  const encode: EncodedPage['encode'] = (encoding) => {
    const bytes = encoded.get(encoding) ?? COMPRESS[encoding](html);
    encoded.set(encoding, bytes);
    return bytes;
  };
  return { html, etag: `W/"${hash}"`, encode };
}

// Returns a function that finds a product by its id; null if there is no such product. The function rejects if the
// database fails or takes longer than PRODUCT_TIMEOUT_MS. Concurrent look-ups of one product share one statement.
// Otherwise many visitors of a product page would occupy the connections that redemptions need.
function createProductLookup(db: Db, today: () => string): (id: string) => Promise<Product | null> {
  const running = new Map<string, Promise<Product | null>>();
  return async (id) => {
    if (!isUuid(id)) return null;
    const lookup = running.get(id) ?? findProduct(db, id, today()).finally(() => running.delete(id));
    running.set(id, lookup);
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(timeout.reject, PRODUCT_TIMEOUT_MS, new Error('the database is busy'));
    return Promise.race([lookup, timeout.promise]).finally(() => clearTimeout(timer));
  };
}
