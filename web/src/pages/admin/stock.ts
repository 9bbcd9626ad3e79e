// Converts the stock of a product to a text and to counts by status.
import type { Stats } from '@portal/contract';
import { sayNumber } from '../../words/format.ts';
import { say } from '../../words/say.ts';

type Product = Stats['stock'][number];
type StatusCounts = { all: number; available: number; assigned: number; revoked: number; void: number };

/**
 * Returns '123 left' for a product. Returns 'shared code' if its codes are shared, and undefined if there is no
 * product.
 */
export function sayLeft(product: Product | undefined): string | undefined {
  if (!product) return undefined;
  return product.left === null ? say('shared code') : say('{count} left', { count: sayNumber(product.left) });
}

/**
 * Returns the number of coupons for each status, of one product or of all products. Returns undefined if `of` is
 * undefined. Also returns undefined for a product with a shared code, because a shared code is never used up.
 */
export function countStatuses(of: Product | Stats['coupons'] | undefined): StatusCounts | undefined {
  if (!of) return undefined;
  const { revoked, void: voided } = of;
  if ('assigned' in of) {
    const available = of.total - of.assigned - voided;
    return { all: of.total, available, assigned: of.assigned - revoked, revoked, void: voided };
  }
  if (of.left === null) return undefined;
  const assigned = of.total - of.left - revoked;
  return { all: of.total + voided, available: of.left, assigned, revoked, void: voided };
}
