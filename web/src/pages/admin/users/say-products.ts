// Formats a number of products as text.
import { sayCount } from '../../../words/say.ts';

/** Returns '1 product' or '2 products'. */
export function sayProducts(count: number): string {
  return sayCount(count, { one: '{count} product', other: '{count} products' });
}

/** Returns the summary in a multi-select of products: '2 products selected'. */
export function sayChosen(count: number): string {
  return sayCount(count, { one: '{count} product selected', other: '{count} products selected' });
}
