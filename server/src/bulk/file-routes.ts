// Registers the calls that send the CSV files about an upload: its invalid rows, its duplicates and its generated codes.
import { getImportDuplicates, getImportErrors, getImportGenerated, type ImportState } from '@portal/contract';
import type { FastifyReply } from 'fastify';
import type { Database } from '../db/database.ts';
import { hideCell, hidesUpload, type Masking } from '../features/codes/mask-codes.ts';
import { type Cells, writeCsv } from '../features/exports/write-csv.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import type { Member } from '../features/team/callers.sql.ts';
import type { Handle } from '../http/handle.ts';
import { sendCsv } from '../http/send-list.ts';
import { requireImport } from './find-import.ts';
import type { PauseTools } from './give-way.ts';
import { countFileRows, type ListedRow, listImportErrors, listImportRows } from './import-rows.sql.ts';
import type { WithUploader } from './import-states.sql.ts';
import { columnsOf } from './read-csv.ts';

const ROWS_AT_ONCE = 5_000;

/** The files about an upload, by their names in the log: the kind of their rows, and the end of their names. */
const FILES = {
  errors: { call: getImportErrors, rows: 'error', ending: 'failed_rows' },
  duplicates: { call: getImportDuplicates, rows: 'duplicate', ending: 'duplicates' },
  generated: { call: getImportGenerated, rows: 'generated', ending: 'generated' },
} as const;
type Name = keyof typeof FILES;

/** Returns the rows whose number is above `after`, at most `limit` of them, sorted by row number. */
type ListRows = (page: { after: number; limit: number }) => Promise<ListedRow[]>;

export function handleImportFiles(
  handle: Handle,
  { db, ...tools }: { db: Database } & Masking & PauseTools,
): void {
  handle(getImportErrors, ({ params: { id }, caller }, reply) => send(reply, id, 'errors', caller));

  handle(getImportDuplicates, ({ params: { id }, caller }, reply) => send(reply, id, 'duplicates', caller));

  handle(getImportGenerated, ({ params: { id }, caller }, reply) => send(reply, id, 'generated', caller));

  async function send(reply: FastifyReply, id: string, name: Name, caller: Member) {
    const state = await requireImport(db, id);
    if (state.kind === 'coupons') await auditFile(db, state, name, caller);
    const file = writeUploadFile(db, { state, name, caller }, tools);
    return sendCsv(reply, `${state.kind}_${FILES[name].ending}`, file);
  }
}

/** Returns a file about an upload in parts, as the caller may see it. */
export function writeUploadFile(
  db: Database,
  { state, name, caller }: { state: ImportState & WithUploader; name: Name; caller: Member },
  tools: Masking & PauseTools,
): AsyncGenerator<string> {
  const { call, rows: kind } = FILES[name];
  const hidesCodes = hidesUpload(state, caller, tools);
  const list: ListRows = async (page) => {
    const rows = await (kind === 'error'
      ? listImportErrors(db, state.id, page)
      : listImportRows(db, state.id, kind, page));
    return hidesCodes ? rows.map((row) => ({ ...row, cells: row.cells.map(hideCell) })) : rows;
  };
  const table = name === 'generated' ? readGenerated(list) : readRows(state, list);
  return writeCsv(db, { ...table, caller, role: call.role }, tools);
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

type Table = { columns: readonly string[]; steps: AsyncIterable<Cells[]> };

/**
 * Reads rows as they were uploaded, with their line numbers and the reason why they were not imported. The file can be
 * uploaded again: the columns `line` and `reason` are ignored then (R-IMP-17).
 */
function readRows(state: ImportState, list: ListRows): Table {
  const columns = columnsOf(state.kind);
  const fields = columns.filter((column) => column !== 'name' || hasNames(state));
  const places = fields.map((field) => columns.indexOf(field));
  const toCells = ({ cells, row, message }: ListedRow) => [
    ...places.map((at) => cells[at] ?? ''),
    row,
    message,
  ];
  return { columns: [...fields, 'line', 'reason'], steps: readAll(list, toCells) };
}

/** Reads the codes that the portal generated, with the line numbers of their rows. */
function readGenerated(list: ListRows): Table {
  const toCells = ({ cells, row }: ListedRow) => [...cells, row];
  return { columns: [...columnsOf('coupons'), 'line'], steps: readAll(list, toCells) };
}

/**
 * False for a file of people without names. The files about it have no column of names either: after another upload, a
 * blank name in such a column would be invalid.
 */
function hasNames({ kind, found }: ImportState): boolean {
  if (kind !== 'users' || !found) return true;
  return found.columns.some(({ field }) => field === 'name' || field === 'first_name');
}

async function* readAll(list: ListRows, toCells: (row: ListedRow) => Cells): AsyncGenerator<Cells[]> {
  for (let after = 0; ; ) {
    const rows = await list({ after, limit: ROWS_AT_ONCE });
    yield rows.map(toCells);
    if (rows.length < ROWS_AT_ONCE) return;
    after = rows.at(-1)?.row ?? 0;
  }
}
