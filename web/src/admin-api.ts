// What administrators read beside plain JSON: pages of lists, and files.
import { requestAnswer, requestRead } from './api.ts';

/**
 * A page of a list: how many rows there are in all (with `isMore`, more than that), and the cursor of the next page if
 * there is one.
 */
export type ListPage<Row> = { rows: Row[]; total: number; isMore: boolean; next: string | null };

/** Reads one page of a list with the figures of its headers. Throws as `read` does. */
export async function readPage<Row>(address: string): Promise<ListPage<Row>> {
  const answer = await requestRead(address);
  const rows = (await answer.json()) as Row[];
  const total = Number(answer.headers.get('X-Total-Count') ?? rows.length);
  const isMore = answer.headers.get('X-Total-Count-Relation') === 'gte';
  return { rows, total, isMore, next: answer.headers.get('X-Next-Cursor') };
}

/** Reads an address as text, however long that takes. Throws as `call` does. */
export async function readText(address: string): Promise<string> {
  const answer = await requestAnswer('GET', address);
  return answer.text();
}
