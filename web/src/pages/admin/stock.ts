// Figures of codes, in words and by status.
import type { Stats } from '@portal/contract';
import { sayNumber } from '../../words/format.ts';
import { say } from '../../words/say.ts';

type Product = Stats['stock'][number];
type StatusCounts = { all: number; available: number; assigned: number };

/** '123 left'; of a shared code that may be given without limit, that it is one. */
export function sayLeft(product: Product | undefined): string | undefined {
  if (!product) return undefined;
  return product.left === null ? say('shared code') : say('{count} left', { count: sayNumber(product.left) });
}

/** How many rows a list of coupons has for each status; nothing where the figures do not tell. */
export function countStatuses(of: Product | Stats['coupons'] | undefined): StatusCounts | undefined {
  if (!of) return undefined;
  if ('assigned' in of) return { all: of.total, available: of.total - of.assigned, assigned: of.assigned };
  if (of.left === null) return undefined;
  return { all: of.total, available: of.left, assigned: of.total - of.left };
}
