// Provides the number of codes of each product. The numbers come from aggregate counters, so no query counts rows.
import type { Stats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { getStats } from '../../admin-calls.ts';
import { queryOf } from '../../queries.ts';
import { countStatuses, sayLeft } from './stock.ts';

/** The returned functions return undefined while the statistics load and if loading failed. */
export function useStock() {
  const { data: stats } = useQuery(queryOf(getStats));
  return useMemo(() => stockOf(stats), [stats]);
}

function stockOf(stats: Stats | undefined) {
  const byId = new Map(stats?.stock.map((product) => [product.product_id, product]));
  return {
    /** Returns '123 left', for a select of products. */
    sayLeft: (productId: string) => sayLeft(byId.get(productId)),
    /** Returns the number of codes by status, of one product, or of all if `productId` is empty. */
    countStatuses: (productId: string) =>
      countStatuses(productId === '' ? stats?.coupons : byId.get(productId)),
  };
}
