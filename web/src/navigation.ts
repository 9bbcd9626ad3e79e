// Links within the portal: navigation, focus and scrolling after it, and the paths of products.
import { useEffect, useRef } from 'react';
import { type AroundNavHandler, useLocation } from 'wouter';
import { focusMain } from './ui/dom.ts';

/**
 * Navigates to `to`. A link to the current address adds no entry to the browser history. Browsers handle such links in
 * the same way.
 */
export const followLink: AroundNavHandler = (navigate, to, options) => {
  const replace = to === location.pathname + location.search;
  navigate(to, { replace, ...options });
};

// Scrolls to the top and moves the focus after navigation in the application, as a full page load does.

/**
 * Moves the focus to the new page and scrolls to its top. After Back or Forward, only moves the focus, because the
 * browser restores the scroll position itself.
 */
export function usePageChange(): void {
  const [path] = useLocation();
  const last = useRef(path);
  const popped = useRef(false);

  useEffect(() => {
    const notePop = () => {
      // Clicks on links within one page, for example the skip link, fire `popstate` too. The event means Back or
      // Forward only if the path has changed.
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

// Reads the id of a product, and builds and parses the path of a product page.

/** Returns the product's id, which may be named `product_id` or `productId` (R-ENT-04). */
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

/** Returns the path of a product page (R-HOME-13). */
export function productPath(product: { product_id?: string; productId?: string }): string {
  return `/product/${encodeURIComponent(productIdOf(product))}`;
}
