// Loads the products, for tables and selects.
import type { StaffProduct } from '@portal/contract';
import { listProducts } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { productIdOf } from '../../parts/product-id.ts';
import { queryOf } from '../../queries.ts';

const NONE: StaffProduct[] = [];

/**
 * Returns the query and its products, without the archived ones. Also returns the options for a select, and a map from
 * product ids to names.
 */
export function useProducts() {
  const query = useQuery(queryOf(listProducts));
  const products = query.data ?? NONE;
  return useMemo(() => {
    const options = products.map((product) => ({ value: productIdOf(product), label: product.name }));
    return { query, products, options, names: new Map(options.map(({ value, label }) => [value, label])) };
  }, [query, products]);
}

export function useArchivedProducts(enabled = true) {
  return useQuery<StaffProduct[]>({ queryKey: [`${listProducts.path}?archived=true`], enabled });
}
