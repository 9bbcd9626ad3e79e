// Sends a list as one page with the cursor of the next page in a header, as a stream of all rows, or as a file.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Page, Total } from '../db/prefix-search.sql.ts';

// `cursor` is the position of a row in search results. Rows of other lists have no `cursor`: their id is the cursor.
type Listed = { id: string; cursor?: string };
type Source<T extends Listed> = {
  list(page: Page): Promise<T[]>;
  count(): Promise<Total>;
};

const STREAMED_ROWS = 5_000;

/**
 * With `limit`, returns one page. The header `X-Total-Count` is the number of rows. `X-Total-Count-Relation` is 'gte'
 * if the list has more rows than this number, else 'eq'. `X-Next-Cursor` is missing on the last page.
 * With `offset`, the page begins after so many rows.
 * Without `limit`, returns all rows as a stream of JSON. The stream reads the rows in chunks, so that a million rows
 * neither fill the memory nor block other requests.
 */
export async function sendList<T extends Listed>(
  reply: FastifyReply,
  {
    limit,
    cursor,
    offset = 0,
  }: { limit?: number | undefined; cursor?: string | undefined; offset?: number | undefined },
  source: Source<T>,
): Promise<T[] | Readable> {
  if (limit === undefined) {
    reply.type('application/json; charset=utf-8');
    return Readable.from(writeAll(source));
  }
  const [rows, { total, atLeast }] = await Promise.all([
    offset > 0 ? listAfter(source, limit + 1, offset) : source.list({ limit: limit + 1, after: cursor }),
    source.count(),
  ]);
  const page = rows.slice(0, limit);
  reply.headers({ 'x-total-count': total, 'x-total-count-relation': atLeast ? 'gte' : 'eq' });
  const last = page.at(-1);
  if (rows.length > limit) reply.header('x-next-cursor', last?.cursor ?? last?.id);
  return page;
}

async function listAfter<T extends Listed>(source: Source<T>, limit: number, offset: number): Promise<T[]> {
  const skipped = await source.list({ limit: offset, isSkipped: true });
  const last = skipped.at(-1);
  return skipped.length < offset ? [] : source.list({ limit, after: last?.cursor ?? last?.id });
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

/**
 * Responds with the CSV file `name`.csv. If `file` throws, the connection is closed, so that the browser does not treat
 * an incomplete file as complete (R-IMP-21). `file` produces the next part when the last part was sent.
 */
export function sendCsv(reply: FastifyReply, name: string, file: AsyncGenerator<string>): Readable {
  reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}.csv"`);
  return Readable.from(file, { highWaterMark: 1 });
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Responds with the workbook `name`.xlsx, as `sendCsv` does. */
export function sendXlsx(reply: FastifyReply, name: string, file: AsyncGenerator<Uint8Array>): Readable {
  reply.type(XLSX).header('content-disposition', `attachment; filename="${name}.xlsx"`);
  return Readable.from(file, { highWaterMark: 1 });
}
