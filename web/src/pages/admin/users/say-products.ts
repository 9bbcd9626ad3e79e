// How many products, in words.
import { sayCount } from '../../../words/say.ts';

/** '1 product', '2 products'. */
export function sayProducts(count: number): string {
  return sayCount(count, { one: '{count} product', other: '{count} products' });
}

/** What a field says in which several are chosen. */
export function sayChosen(count: number): string {
  return sayCount(count, { one: '{count} product selected', other: '{count} products selected' });
}
