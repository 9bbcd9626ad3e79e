// Links within the portal: navigation, focus and scrolling after it, and the paths of products.
import { useEffect, useRef } from 'react';
import { type AroundNavHandler, useLocation } from 'wouter';
import { focusMain } from './ui/dom.ts';

/** A link to the current address adds no entry to the browser history. Browsers handle such links in the same way. */
export const followLink: AroundNavHandler = (navigate, to, options) => {
  const replace = to === location.pathname + location.search;
  navigate(to, { replace, ...options });
};

/**
 * Moves the focus to a new page and scrolls to its top, as a full page load does. After Back or Forward, only moves the
 * focus, because the browser restores the scroll position itself.
 */
export function usePageChange(): void {
  const [path] = useLocation();
  const last = useRef(path);
  const popped = useRef(false);

  useEffect(() => {
    const notePop = () => {
      // Clicks on links within one page, such as the skip link, fire `popstate` too, but do not change the path.
      popped.current = location.pathname !== last.current;
    };
    window.addEventListener('popstate', notePop);
    return () => window.removeEventListener('popstate', notePop);
  }, []);

  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    focusMain();
    if (!popped.current) window.scrollTo(0, 0);
    popped.current = false;
  }, [path]);
}

/** The id may be named `product_id` or `productId` (R-ENT-04). */
export function productIdOf(product: { product_id?: string; productId?: string }): string {
  return product.product_id ?? product.productId ?? '';
}

/** Pattern of the product page's path in the route table. */
export const PRODUCT_ROUTE = '/product/:id';

/** Returns the product id in `path`, decoded as the router decodes it. Returns null if `path` is not a product page. */
export function productIdAt(path: string): string | null {
  const id = /^\/product\/([^/]+)\/?$/i.exec(path)?.[1] ?? null;
  try {
    return id && decodeURI(id);
  } catch {
    return id;
  }
}

/** Returns the path of the product's page (R-HOME-13). */
export function productPath(product: { product_id?: string; productId?: string }): string {
  return `/product/${encodeURIComponent(productIdOf(product))}`;
}
