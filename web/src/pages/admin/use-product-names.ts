// Provides the product names for lists of codes or uploads. The products in such a list may be archived.
import { useMemo } from 'react';
import { productIdOf } from '../../parts/product-id.ts';
import { useArchivedProducts, useProducts } from './use-products.ts';

/**
 * Returns a map from product ids to names. Requests the archived products only if a row belongs to a product that is
 * not among the current ones.
 */
export function useProductNames(rows: readonly { product_id: string | null }[]) {
  const { query, names } = useProducts();
  const lacksName = !query.isPending && rows.some(({ product_id }) => product_id && !names.has(product_id));
  const archived = useArchivedProducts(lacksName);
  const all = useMemo(() => {
    const old = archived.data?.map((product) => [productIdOf(product), product.name] as const);
    return old ? new Map([...names, ...old]) : names;
  }, [names, archived.data]);
  return { names: all, isPending: query.isPending || (lacksName && archived.isPending) };
}
