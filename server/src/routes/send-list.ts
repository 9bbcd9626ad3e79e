// Answers a list: one page of it with the headers that lead to the next, or all of it as a stream.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Page, Total } from '../stores/prefix-search.ts';

// Rows of a search have a cursor of their own; others go by their ids.
type Listed = { id: string; cursor?: string };
type Source<T extends Listed> = {
  list(page: Page): Promise<T[]>;
  count(): Promise<Total>;
};

const STREAMED_ROWS = 5_000;

/**
 * With `limit` one page, `X-Total-Count` with `X-Total-Count-Relation` ('eq', or 'gte' when only so many were counted), and
 * `X-Next-Cursor` unless it is the last. Without it everything, read and sent piece by piece, so that a million rows
 * neither fill the memory nor hold up other requests.
 */
export async function sendList<T extends Listed>(
  reply: FastifyReply,
  { limit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  source: Source<T>,
): Promise<T[] | Readable> {
  if (limit === undefined) {
    reply.type('application/json; charset=utf-8');
    return Readable.from(writeAll(source));
  }
  const [rows, { total, atLeast }] = await Promise.all([
    source.list({ limit: limit + 1, after: cursor }),
    source.count(),
  ]);
  const page = rows.slice(0, limit);
  reply.headers({ 'x-total-count': total, 'x-total-count-relation': atLeast ? 'gte' : 'eq' });
  const last = page.at(-1);
  if (rows.length > limit) reply.header('x-next-cursor', last?.cursor ?? last?.id);
  return page;
}

async function* writeAll<T extends Listed>({ list }: Source<T>): AsyncGenerator<string> {
  let after: string | undefined;
  let separator = '[';
  for (;;) {
    const rows = await list({ limit: STREAMED_ROWS, after, isExport: true });
    if (rows.length > 0) yield separator + JSON.stringify(rows).slice(1, -1);
    if (rows.length > 0) separator = ',';
    if (rows.length < STREAMED_ROWS) break;
    after = rows.at(-1)?.id;
  }
  yield separator === '[' ? '[]' : ']';
}
