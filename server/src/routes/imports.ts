// Registers the calls that import CSV files, and that list, read and cancel imports.
import { Readable } from 'node:stream';
import {
  cancelImport,
  getImport,
  getImportErrors,
  hasRole,
  type ImportState,
  importCoupons,
  importProducts,
  importUsers,
  type JobState,
  listImports,
  NAMED_ERRORS,
  writeCsvHead,
  writeCsvLine,
} from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { findJobState, isImport, listImportErrors, listImportStates } from '../stores/imports.ts';
import { cancelImport as cancel, importCsv, type UploadTools } from '../usecases/import-csv.ts';
import { isUuid } from '../usecases/is-uuid.ts';
import { columnsOf } from '../usecases/read-csv.ts';
import type { Handle } from './handle.ts';

const LATEST = 20;
const ERRORS_AT_ONCE = 5_000;

export function handleImports(handle: Handle, { db, ...tools }: { db: Database } & UploadTools): void {
  handle(importProducts, async ({ body, caller }) => {
    const upload = { ...body, kind: 'products' as const, product_ids: [], actor: caller.email };
    return toReply(await importCsv(db, upload, tools));
  });

  handle(importUsers, async ({ body, caller }) =>
    toReply(await importCsv(db, { ...body, kind: 'users', actor: caller.email }, tools)),
  );

  handle(importCoupons, async ({ body: { productId, ...body }, caller }) => {
    const upload = { ...body, kind: 'coupons' as const, product_ids: [productId], actor: caller.email };
    return toReply(await importCsv(db, upload, tools));
  });

  handle(listImports, async ({ caller }) => {
    const isManager = hasRole(caller.team_role, 'manager');
    const states = await listImportStates(db, { limit: LATEST, named: isManager ? NAMED_ERRORS : 0 });
    return isManager ? states : states.map(withoutContents);
  });

  handle(getImport, ({ params: { id } }) => readState(id, NAMED_ERRORS));

  handle(cancelImport, async ({ params: { id }, caller }) => {
    if (isUuid(id)) await cancel(db, id, { now: tools.now, actor: caller.email });
    return readState(id, NAMED_ERRORS);
  });

  handle(getImportErrors, async ({ params: { id } }, reply) => {
    const state = await readState(id, 0);
    if (!isImport(state)) throw new AppError('not_found', 'Import not found');
    const { kind } = state;
    reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${kind}_failed_rows.csv"`);
    return Readable.from(writeErrors(db, id, columnsOf(kind)));
  });

  async function readState(id: string, named: number): Promise<JobState> {
    const state = isUuid(id) ? await findJobState(db, id, named) : null;
    if (state === null) throw new AppError('not_found', 'Import not found');
    return state;
  }
}

// Roles below manager see the kind, the counts, the state and the time of an import (N-06).
function withoutContents(state: ImportState): ImportState {
  return { ...state, file_name: null, reason: null, errors: [] };
}

function toReply({ id, state, reason, results, errors }: ImportState) {
  if (state === 'failed') throw new AppError('unavailable', `The import failed: ${reason}`);
  if (state === 'cancelled') throw new AppError('unavailable', 'The import was cancelled.');
  // If the import has not ended, its job will be retried, or another process runs this job. The response is then an
  // error, and the web page polls the state of the import.
  if (results === null)
    throw new AppError('unavailable', 'The import goes on; its results will be shown here.');
  return { message: 'Import complete', import_id: id, results, errors };
}

// Yields a CSV file of the invalid rows.
async function* writeErrors(db: Database, id: string, columns: readonly string[]): AsyncGenerator<string> {
  yield writeCsvHead([...columns, 'line', 'reason']);
  for (let after = 0; ; ) {
    const errors = await listImportErrors(db, id, after, ERRORS_AT_ONCE);
    yield errors.map(({ cells, row, message }) => writeCsvLine([...cells, row, message])).join('');
    if (errors.length < ERRORS_AT_ONCE) return;
    after = errors.at(-1)?.row ?? 0;
  }
}
