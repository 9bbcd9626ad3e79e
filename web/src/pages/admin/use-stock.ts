// How many codes there are and are left, from the figures that the server keeps; nothing is counted for them.
import type { Stats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { getStats } from '../../admin-calls.ts';
import { queryOf } from '../../queries.ts';
import { countStatuses, sayLeft } from './stock.ts';

/** Until the figures are here, and when they cannot be had, there are none. */
export function useStock() {
  const { data: stats } = useQuery(queryOf(getStats));
  return useMemo(() => stockOf(stats), [stats]);
}

function stockOf(stats: Stats | undefined) {
  const byId = new Map(stats?.stock.map((product) => [product.product_id, product]));
  return {
    /** '123 left', for a choice of products. */
    sayLeft: (productId: string) => sayLeft(byId.get(productId)),
    /** Codes by status, of one product or of all. */
    countStatuses: (productId: string) =>
      countStatuses(productId === '' ? stats?.coupons : byId.get(productId)),
  };
}
