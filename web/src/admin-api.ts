// Requests of the admin pages that need more than a JSON body: pages of lists with their headers, and text files.
import { requestAnswer, requestRead } from './api.ts';

/**
 * One page of a list. `total` is the number of rows in the whole list; with `isMore` there are more than `total`.
 * `next` is the cursor of the next page, or null on the last page.
 */
export type ListPage<Row> = { rows: Row[]; total: number; isMore: boolean; next: string | null };

/** Reads one page of a list, with the values of its response headers. Throws as `read` does. */
export async function readPage<Row>(address: string): Promise<ListPage<Row>> {
  const answer = await requestRead(address);
  const rows = (await answer.json()) as Row[];
  const total = Number(answer.headers.get('X-Total-Count') ?? rows.length);
  const isMore = answer.headers.get('X-Total-Count-Relation') === 'gte';
  return { rows, total, isMore, next: answer.headers.get('X-Next-Cursor') };
}

/** Reads a response as text, without a time-out. Throws as `call` does. */
export async function readText(address: string): Promise<string> {
  const answer = await requestAnswer('GET', address);
  return answer.text();
}
