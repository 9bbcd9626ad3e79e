// Names of the products of uploads, which may be archived.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listProducts } from '../../../admin-calls.ts';
import { productIdOf } from '../../../parts/product-id.ts';
import { queryOf } from '../../../queries.ts';
import { useProducts } from '../use-products.ts';

/** Returns a map from product ids to names. Requests the archived products only if a row needs one of them. */
export function useProductNames(rows: readonly { product_id: string }[]) {
  const { query, names } = useProducts();
  const lacksName = !query.isPending && rows.some(({ product_id }) => !names.has(product_id));
  const { queryKey } = queryOf(listProducts);
  const archived = useQuery({
    ...queryOf(listProducts),
    queryKey: [`${queryKey[0]}?archived=true`],
    enabled: lacksName,
  });
  const all = useMemo(() => {
    const old = archived.data?.map((product) => [productIdOf(product), product.name] as const);
    return new Map([...names, ...(old ?? [])]);
  }, [names, archived.data]);
  return { names: all, isPending: query.isPending || (lacksName && archived.isPending) };
}
