// Loads all products, for tables and selects.
import type { Product } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { listProducts } from '../../admin-calls.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { queryOf } from '../../queries.ts';

const NONE: Product[] = [];

/** Returns the query and its products. Also returns the options for a select, and a map from product ids to names. */
export function useProducts() {
  const query = useQuery(queryOf(listProducts));
  const products = query.data ?? NONE;
  return useMemo(() => {
    const options = products.map((product) => ({ value: productIdOf(product), label: product.name }));
    return { query, products, options, names: new Map(options.map(({ value, label }) => [value, label])) };
  }, [query, products]);
}
