// A product's id, under either of its names.

/** `product_id`, also read as `productId` (R-ENT-04). */
export function productIdOf(product: { product_id?: string; productId?: string }): string {
  return product.product_id ?? product.productId ?? '';
}

/** The product page, as the route table has it. */
export const PRODUCT_ROUTE = '/product/:id';

/** The id in the path of a product's page, decoded as the route table does; null for any other path. */
export function productIdAt(path: string): string | null {
  const id = /^\/product\/([^/]+)\/?$/i.exec(path)?.[1] ?? null;
  try {
    return id && decodeURI(id);
  } catch {
    return id;
  }
}

/** The address of a product's page (R-HOME-13). */
export function productPath(product: { product_id?: string; productId?: string }): string {
  return `/product/${encodeURIComponent(productIdOf(product))}`;
}
