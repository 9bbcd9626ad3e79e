// Provides the number of codes of each product. The numbers come from the tally, so the server does not count rows.
import type { Stats } from '@portal/contract';
import { getStats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queryOf } from '../../queries.ts';
import { countStatuses, sayLeft } from './stock.ts';

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
