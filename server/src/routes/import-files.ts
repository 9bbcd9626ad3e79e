// Writes the CSV files about an upload: its invalid rows, its duplicates and its generated codes.
import { Readable } from 'node:stream';
import { type ImportState, writeCsvHead, writeCsvLine } from '@portal/contract';
import type { FastifyReply } from 'fastify';
import type { Database } from '../db/database.ts';
import { type ListedRow, listImportRows } from '../stores/import-rows.ts';
import { columnsOf } from '../usecases/read-csv.ts';

const ROWS_AT_ONCE = 5_000;

/** Returns the rows whose number is above `after`, at most `limit` of them, sorted by row number. */
export type ListRows = (page: { after: number; limit: number }) => Promise<ListedRow[]>;

/** Sends the lines as a CSV file with this name. */
export function sendFile(reply: FastifyReply, name: string, lines: AsyncIterable<string>): Readable {
  reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}.csv"`);
  return Readable.from(lines);
}

/**
 * Yields a CSV file of rows as they were uploaded, with their line numbers and the reason why they were not imported.
 * The file can be uploaded again: the columns `line` and `reason` are ignored then (R-IMP-17).
 */
export async function* writeRows(state: ImportState, list: ListRows): AsyncGenerator<string> {
  const columns = columnsOf(state.kind);
  const fields = columns.filter((column) => column !== 'name' || hasNames(state));
  const places = fields.map((field) => columns.indexOf(field));
  yield writeCsvHead([...fields, 'line', 'reason']);
  for await (const rows of readAll(list))
    yield rows
      .map(({ cells, row, message }) => writeCsvLine([...places.map((at) => cells[at] ?? ''), row, message]))
      .join('');
}

/** Yields a CSV file of the codes that the portal generated, with the line numbers of their rows. */
export async function* writeGenerated(db: Database, id: string): AsyncGenerator<string> {
  yield writeCsvHead([...columnsOf('coupons'), 'line']);
  for await (const rows of readAll((page) => listImportRows(db, id, 'generated', page)))
    yield rows.map(({ cells, row }) => writeCsvLine([...cells, row])).join('');
}

/**
 * False for a file of people without names. The files about it have no column of names either: after another upload, a
 * blank name in such a column would be invalid.
 */
function hasNames({ kind, found }: ImportState): boolean {
  if (kind !== 'users' || !found) return true;
  return found.columns.some(({ field }) => field === 'name' || field === 'first_name');
}

async function* readAll(list: ListRows): AsyncGenerator<ListedRow[]> {
  for (let after = 0; ; ) {
    const rows = await list({ after, limit: ROWS_AT_ONCE });
    yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    after = rows.at(-1)?.row ?? 0;
  }
}
