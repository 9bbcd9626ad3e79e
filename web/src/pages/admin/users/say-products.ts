// Formats a number of products as text.
import { sayCount } from '../../../words/say.ts';

/** Returns '1 product' or '2 products'. */
export function sayProducts(count: number): string {
  return sayCount(count, { one: '{count} product', other: '{count} products' });
}

/** Returns the text in a closed select of several products, for example '2 products selected'. */
export function sayChosen(count: number): string {
  return sayCount(count, { one: '{count} product selected', other: '{count} products selected' });
}
