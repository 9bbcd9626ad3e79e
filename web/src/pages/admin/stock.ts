// Converts the code counts of a product to text and to counts by status.
import type { Stats } from '@portal/contract';
import { sayNumber } from '../../words/format.ts';
import { say } from '../../words/say.ts';

type Product = Stats['stock'][number];
type StatusCounts = { all: number; available: number; assigned: number };

/** Returns '123 left', or 'shared code' for a shared code without a limit. Undefined without a product. */
export function sayLeft(product: Product | undefined): string | undefined {
  if (!product) return undefined;
  return product.left === null ? say('shared code') : say('{count} left', { count: sayNumber(product.left) });
}

/**
 * Returns the number of coupons for each status, of one product or of all. Undefined without statistics, and for a
 * shared code without a limit, because its free codes cannot be counted.
 */
export function countStatuses(of: Product | Stats['coupons'] | undefined): StatusCounts | undefined {
  if (!of) return undefined;
  if ('assigned' in of) return { all: of.total, available: of.total - of.assigned, assigned: of.assigned };
  if (of.left === null) return undefined;
  return { all: of.total, available: of.left, assigned: of.total - of.left };
}
