// Which page answers which path: home and the products' pages with their words in them, every other one empty.
import type { Language, PageData, PageSettings } from '@portal/contract';
import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { BrandSettings } from '../brand.ts';
import type { Db } from '../db/database.ts';
import type { BuiltPages } from './built-pages.ts';
import { composePage, type PageParts } from './compose-page.ts';
import { type EncodedPage, makeEncodedPage } from './encoded-page.ts';
import { createProductLookup } from './product-lookup.ts';

export type PagesOptions = {
  db: Db;
  built: BuiltPages | null;
  publicUrl: string;
  brand: BrandSettings;
  signIn: PageSettings['sign_in'];
};

export type Answer = { status: 200 | 404; page: EncodedPage };

/** R-ROUTE-01 to R-ROUTE-03: visitors see the same on all of them. */
const LANDING = ['/', '/accelerator', '/fellowship'];
const PRODUCT = /^\/product\/([^/]+)\/?$/i;
/** Also what addresses without a product are rendered as, so that they share a page. */
const NO_PRODUCT = '/product/unknown';
const PICTURE = '/share.png';
const NOT_BUILT = '<!doctype html><title>Not built</title>';
const PATIENCE_MS = 500;
/** Of HTML, some hundred pages; their compressed forms are about a third as much again. */
const KEPT_CHARACTERS = 16_000_000;

type FindPage = (request: { path: string; language: Language; log: Log }) => Promise<Answer>;

/** A function that answers the page for a path without query. Kept pages are made anew when what they show has changed. */
export function createPages(options: PagesOptions): FindPage {
  const { db, built, publicUrl, brand, signIn } = options;
  const findProduct = createProductLookup(db, PATIENCE_MS);
  const { shell = NOT_BUILT } = built ?? {};
  const kept = new LRUCache<string, { made: string; page: EncodedPage }>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: ({ page }) => page.html.length,
  });

  const keep = (key: string, made: string, make: () => string): EncodedPage => {
    const known = kept.get(key);
    if (known?.made === made) return known.page;
    const page = makeEncodedPage(make());
    kept.set(key, { made, page });
    return page;
  };

  const makeShell = (language: Language, isPublic: boolean, more = ''): EncodedPage => {
    // A hosted sign-in service may tell of Google only after the start.
    const settings = { brand: brand.brand, sign_in: { ...signIn } };
    const links = (built?.links[language] ?? '') + more;
    const made = JSON.stringify(settings);
    return keep(`${language} shell ${isPublic} ${more}`, made, () =>
      composePage({ shell, language, settings, isPublic, links }),
    );
  };

  const render = (path: string, { language, data, log, ...more }: Rendering): EncodedPage => {
    if (built === null) return makeShell(language, true);
    const settings = { brand: brand.brand, sign_in: { ...signIn } };
    const { share_image_url: own } = brand.brand;
    const picture = { url: new URL(own ?? PICTURE, publicUrl).href, isOurs: own === null };
    const { renderPage, links } = built;
    const make = () =>
      composePage({
        shell,
        language,
        settings,
        isPublic: true,
        data,
        picture,
        rendered: renderPage({ path, language, settings, data }),
        address: `${publicUrl}${path}`,
        ...more,
        links: links[language] + (more.links ?? ''),
      });
    try {
      return keep(`${language} ${path}`, JSON.stringify([settings, data]), make);
    } catch (error) {
      log.error({ err: error }, 'a page could not be rendered and was sent empty');
      return makeShell(language, true);
    }
  };

  return async ({ path, language, log }) => {
    const plain = path.replace(/(.)\/$/, '$1').toLowerCase();
    if (LANDING.includes(plain)) {
      const page = render(plain, { language, data: {}, log, address: `${publicUrl}/` });
      return { status: 200, page };
    }
    const id = PRODUCT.exec(path)?.[1];
    if (id === undefined) {
      const links = plain === '/auth/callback' ? built?.links.callback : undefined;
      return { status: 200, page: makeShell(language, false, links) };
    }
    const found = await findProduct(decodeURI(id).toLowerCase());
    if ('failure' in found) {
      const reason = found.failure instanceof Error ? found.failure.message : String(found.failure);
      log.warn({ reason }, 'a page was sent without its product');
      return { status: 200, page: makeShell(language, true) };
    }
    const { product } = found;
    const more = { language, data: { product }, log, links: built?.links.product };
    if (product === null) return { status: 404, page: render(NO_PRODUCT, { ...more, isPublic: false }) };
    return { status: 200, page: render(`/product/${product.product_id}`, more) };
  };
}

type Rendering = { language: Language; data: PageData; log: Log } & Partial<
  Pick<PageParts, 'address' | 'links' | 'isPublic'>
>;

type Log = Pick<FastifyBaseLogger, 'warn' | 'error'>;
