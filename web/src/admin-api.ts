// API calls of the admin pages for pages of a list, which read response headers, and for files.
import { requestAnswer, requestRead } from './api.ts';

/**
 * One page of a list. `total` is the number of rows in the whole list, or a lower bound if `isMore` is true. `next` is
 * the cursor of the next page, or null on the last page. `lookedUntil` is set if the server stopped to search before the
 * page was full: the time of the last line of the log that it looked at.
 */
export type ListPage<Row> = {
  rows: Row[];
  total: number;
  isMore: boolean;
  next: string | null;
  lookedUntil: string | null;
};

/**
 * Requests one page of a list. Takes the total and the cursor from response headers. Throws the same errors as `read`
 * of api.ts.
 */
export async function readPage<Row>(address: string): Promise<ListPage<Row>> {
  const answer = await requestRead(address);
  const rows = (await answer.json()) as Row[];
  const total = Number(answer.headers.get('X-Total-Count') ?? rows.length);
  const isMore = answer.headers.get('X-Total-Count-Relation') === 'gte';
  const next = answer.headers.get('X-Next-Cursor');
  return { rows, total, isMore, next, lookedUntil: answer.headers.get('X-Looked-Until') };
}

/**
 * Makes a GET request without a time-out and returns the body as a file. Throws the same errors as `call` of api.ts, also
 * if the connection is cut before the end of the body.
 */
export async function readFile(address: string): Promise<Blob> {
  const answer = await requestAnswer('GET', address);
  return answer.blob();
}
