// Converts the stock of a product to a text and to counts by status.
import type { Stats } from '@portal/contract';
import { sayNumber } from '../../words/format.ts';
import { say } from '../../words/say.ts';

type Product = Stats['stock'][number];
type StatusCounts = {
  all: number;
  available: number;
  assigned: number;
  revoked: number;
  void: number;
  expired: number;
};

/**
 * Returns '123 left' for a product. Returns 'shared code' if its codes are shared, and undefined if there is no
 * product.
 */
export function sayLeft(product: Product | undefined): string | undefined {
  if (!product) return undefined;
  return product.left === null ? say('shared code') : say('{count} left', { count: sayNumber(product.left) });
}

/**
 * Returns the number of coupons for each status, of one product or of all products. Each code has one status, so the
 * statuses add up to `all`. Returns undefined if `of` is undefined.
 */
export function countStatuses(of: Product | Stats['coupons'] | undefined): StatusCounts | undefined {
  if (!of) return undefined;
  const { revoked, void: voided, expired } = of;
  const counts =
    'codes' in of
      ? { all: of.codes, available: of.free, assigned: of.held }
      : { all: of.total, available: of.available, assigned: of.assigned };
  return { ...counts, revoked, void: voided, expired };
}
