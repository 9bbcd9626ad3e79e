// The stock of a product: tag, text and counts.
import { getStats, type Stats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { queryOf } from '../../queries.ts';
import { Icon } from '../../ui/icon.tsx';
import { Tag } from '../../ui/tag.tsx';
import { sayNumber } from '../../words/format.ts';
import { say } from '../../words/say.ts';

/** A product is marked 'Low' if less than this share of its codes is left. */
const LOW_SHARE = 0.1;

export type StockTone = 'none' | 'low' | undefined;

/** `left` is null for a product with a shared code, which is never used up. */
export function stockToneOf({ left, total }: { left: number | null; total: number }): StockTone {
  if (left === null) return undefined;
  if (left === 0) return 'none';
  return left < total * LOW_SHARE ? 'low' : undefined;
}

export function StockTag({ tone }: { tone: StockTone }) {
  if (tone === undefined) return null;
  return tone === 'none' ? (
    <Tag tone="danger">
      <Icon of={CircleAlert} size={13} strong />
      {say('None left')}
    </Tag>
  ) : (
    <Tag tone="warning">
      <Icon of={TriangleAlert} size={13} strong />
      {say('Low')}
    </Tag>
  );
}

// Converts the stock of a product to a text and to counts by status.

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

// Provides the number of codes of each product. The numbers come from the tally, so the server does not count rows.

/** Returns functions for texts and counts. These functions return undefined until the statistics are loaded. */
export function useStock() {
  const { data: stats } = useQuery(queryOf(getStats));
  return useMemo(() => stockOf(stats), [stats]);
}

function stockOf(stats: Stats | undefined) {
  const byId = new Map(stats?.stock.map((product) => [product.product_id, product]));
  return {
    /** Returns a text such as '123 left' for an option of a select. */
    sayLeft: (productId: string) => sayLeft(byId.get(productId)),
    /** Returns the number of codes by status. If `productId` is empty, the codes of all products are counted. */
    countStatuses: (productId: string) =>
      countStatuses(productId === '' ? stats?.coupons : byId.get(productId)),
  };
}
