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
