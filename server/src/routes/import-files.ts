// Registers the calls that send the CSV files about an upload: its invalid rows, its duplicates and its generated codes.
import {
  getImportDuplicates,
  getImportErrors,
  getImportGenerated,
  type ImportState,
  writeCsvHead,
  writeCsvLine,
} from '@portal/contract';
import type { FastifyReply } from 'fastify';
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import type { Member } from '../stores/callers.ts';
import { countFileRows, type ListedRow, listImportErrors, listImportRows } from '../stores/import-rows.ts';
import { requireImport } from '../usecases/find-import.ts';
import { hideCell, hidesUpload, type Masking } from '../usecases/mask-codes.ts';
import { columnsOf } from '../usecases/read-csv.ts';
import type { Handle } from './handle.ts';
import { sendCsv } from './send-csv.ts';

const ROWS_AT_ONCE = 5_000;

/** The files about an upload, by their names in the log: the kind of their rows, and the end of their names. */
const FILES = {
  errors: { rows: 'error', ending: 'failed_rows' },
  duplicates: { rows: 'duplicate', ending: 'duplicates' },
  generated: { rows: 'generated', ending: 'generated' },
} as const;
type Name = keyof typeof FILES;

/** Returns the rows whose number is above `after`, at most `limit` of them, sorted by row number. */
type ListRows = (page: { after: number; limit: number }) => Promise<ListedRow[]>;

export function handleImportFiles(handle: Handle, { db, ...masking }: { db: Database } & Masking): void {
  handle(getImportErrors, ({ params: { id }, caller }, reply) => send(reply, id, 'errors', caller));

  handle(getImportDuplicates, ({ params: { id }, caller }, reply) => send(reply, id, 'duplicates', caller));

  handle(getImportGenerated, ({ params: { id }, caller }, reply) => send(reply, id, 'generated', caller));

  async function send(reply: FastifyReply, id: string, name: Name, caller: Member) {
    const state = await requireImport(db, id);
    const { rows: kind, ending } = FILES[name];
    const hidesCodes = hidesUpload(state, caller, masking);
    if (state.kind === 'coupons') await auditFile(db, state, name, caller);
    const list: ListRows = async (page) => {
      const rows = await (kind === 'error'
        ? listImportErrors(db, id, page)
        : listImportRows(db, id, kind, page));
      return hidesCodes ? rows.map((row) => ({ ...row, cells: row.cells.map(hideCell) })) : rows;
    };
    const file = name === 'generated' ? writeGenerated(list) : writeRows(state, list);
    return sendCsv(reply, `${state.kind}_${ending}`, file);
  }
}

/** Adds an audit line that says which file of codes the caller reads, and the number of its rows (R-IMP-46). */
async function auditFile(
  db: Database,
  { id: import_id, product_id, batch_id }: ImportState,
  file: Name,
  { email: actor }: Member,
): Promise<void> {
  const rows = await countFileRows(db, import_id, FILES[file].rows);
  await createAuditLine(db, {
    actor,
    action: 'export.file',
    ...(product_id !== null && { product_id }),
    ...(batch_id !== null && { batch_id }),
    detail: { import_id, file, rows },
  });
}

/**
 * Yields a CSV file of rows as they were uploaded, with their line numbers and the reason why they were not imported.
 * The file can be uploaded again: the columns `line` and `reason` are ignored then (R-IMP-17).
 */
async function* writeRows(state: ImportState, list: ListRows): AsyncGenerator<string> {
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
async function* writeGenerated(list: ListRows): AsyncGenerator<string> {
  yield writeCsvHead([...columnsOf('coupons'), 'line']);
  for await (const rows of readAll(list))
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
