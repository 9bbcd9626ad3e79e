// Reads the API data that the server wrote into the page. So the page does not need to request this data.
import type { PageData } from '@portal/contract';
import type { QueryClient } from '@tanstack/react-query';
import { productIdAt } from './parts/product-id.ts';
import { productQuery } from './queries.ts';

/** Returns the data that the server wrote into this page, or an empty object if there is none. */
export function readPageData(): PageData {
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '{}') as PageData;
}

/** Stores the data of the page at `path` in the query cache. */
export function keepPageData(queries: QueryClient, path: string, { product }: PageData): void {
  const id = productIdAt(path);
  if (id !== null && product !== undefined) queries.setQueryData(productQuery(id).queryKey, product);
}
