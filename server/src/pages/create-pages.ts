// Returns the HTML page for a path. The server renders the home page and product pages; the browser renders all other
// screens.
import type { Language, PageSettings } from '@portal/contract';
import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import { type BrandSettings, brandStyles } from '../brand.ts';
import type { Db } from '../db/database.ts';
import type { BuiltPages } from './built-pages.ts';
import { composePage, type PageView } from './compose-page.ts';
import { type EncodedPage, encodePage } from './encoded-page.ts';
import { createProductLookup } from './product-lookup.ts';

export type PagesOptions = {
  db: Db;
  now: () => Date;
  /** Returns the day in the portal's time zone to which the moment `at` belongs, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
  built: BuiltPages | null;
  publicUrl: string;
  brand: BrandSettings;
  /**
   * The field `google` can change while the portal runs: a hosted sign-in service may report only after the start that
   * it offers sign-in with Google.
   */
  signIn: PageSettings['sign_in'];
};

export type PageResponse = { status: 200 | 404; page: EncodedPage };

/** Paths of the home page (R-ROUTE-01 to R-ROUTE-03). Visitors see the same page on all three paths. */
const LANDING = ['/', '/accelerator', '/fellowship'];
const PRODUCT = /^\/product\/([^/]+)\/?$/i;
/**
 * Path with which the page for a missing product is rendered. All missing products have this path, so one cached page
 * serves all of them.
 */
const NO_PRODUCT = '/product/unknown';
const PRODUCT_TIMEOUT_MS = 500;
/**
 * Size of the page cache in characters of HTML, enough for some hundred pages. The compressed copies need about a third
 * more memory.
 */
const CACHE_SIZE = 16_000_000;

type PageRequest = { path: string; language: Language; log: Pick<FastifyBaseLogger, 'warn' | 'error'> };

/**
 * Returns a function that returns the page for a path without query. The function caches rendered pages. The cache key
 * contains the data of the page, so a page with changed data is rendered again.
 */
export function createPages(options: PagesOptions): (request: PageRequest) => Promise<PageResponse> {
  const { db, built, publicUrl, signIn } = options;
  const { brand } = options.brand;
  const notBuilt = encodePage('<!doctype html><title>Not built</title>');
  if (built === null) return async () => ({ status: 200, page: notBuilt });
  const findProduct = createProductLookup(db, () => options.dayOf(options.now()), PRODUCT_TIMEOUT_MS);
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
    const empty = { path: '', language, settings: { brand, sign_in: signIn }, isPublic: true };
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
