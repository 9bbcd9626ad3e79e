// A product's id, under either of its names.

/** `product_id`, also read as `productId` (R-ENT-04). */
export function productIdOf(product: { product_id?: string; productId?: string }): string {
  return product.product_id ?? product.productId ?? '';
}

/** The product page, as the route table has it. */
export const PRODUCT_ROUTE = '/product/:id';

/** The address of a product's page (R-HOME-13). */
export function productPath(product: { product_id?: string; productId?: string }): string {
  return `/product/${encodeURIComponent(productIdOf(product))}`;
}
