// How many products, in words.

/** '1 product', '2 products'. */
export function sayProducts(count: number): string {
  return count === 1 ? '1 product' : `${count.toLocaleString()} products`;
}
