// What the server wrote into the page besides its words: answers that the page then need not ask for.
import type { PageData } from '@portal/contract';
import type { QueryClient } from '@tanstack/react-query';
import { productIdAt } from './parts/product-id.ts';
import { productQuery } from './queries.ts';

/** Reads the data of this page; empty when the server sent none. */
export function readPageData(): PageData {
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '{}') as PageData;
}

/** Puts the data of the page at `path` where its queries find it. */
export function keepPageData(queries: QueryClient, path: string, { product }: PageData): void {
  const id = productIdAt(path);
  if (id !== null && product !== undefined) queries.setQueryData(productQuery(id).queryKey, product);
}
