// Imports a CSV file in batches. An invalid file is refused before its first row. An interrupted import is continued.
import { type CsvKind, type ImportState, markUnstorable, NAMED_ERRORS } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { isRefusedForNow } from '../db/refused-for-now.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { cancelJob, enqueueRunningJob, type Job } from '../jobs/stores/jobs.ts';
import { createAuditLine } from '../stores/audit.ts';
import { createBatch } from '../stores/coupons.ts';
import {
  addToImport,
  analyseTables,
  createImport,
  createImportErrors,
  findImport,
  findImportState,
  finishImport,
  type ImportJob,
  lockImport,
  lockImportAt,
  setImportState,
} from '../stores/imports.ts';
import { countProducts } from '../stores/products.ts';
import type { RandomBytes } from './coupon-code.ts';
import { importRows } from './import-rows.ts';
import { isUuid } from './is-uuid.ts';
import { type CsvRecord, checkCsv, readCsv } from './read-csv.ts';

/** Dependencies of an upload. */
export type UploadTools = {
  now: () => Date;
  /** Returns the id for an import that was uploaded without one. */
  randomUuid: () => string;
  /** Runs the import's job in this process. Resolves when the job has ended or waits for its next try. */
  runJob: (job: Job) => Promise<void>;
};

/** Dependencies of the job that imports the rows. */
export type ImportTools = {
  randomBytes: RandomBytes;
  /** Resolves after `ms` milliseconds. */
  pause: (ms: number) => Promise<unknown>;
  /** Returns true if the process is about to end: the import stops after its batch and continues after the restart. */
  isStopping: () => boolean;
  /**
   * Returns the number of calls that this process has served. The import pauses only while there are calls. Null if
   * another process on this machine may serve calls too; the import then always pauses.
   */
  countCalls: (() => number) | null;
};

export type Upload = {
  kind: CsvKind;
  csvData: string;
  import_id?: string | undefined;
  file_name?: string | undefined;
  product_ids: string[];
  actor: string;
};

// Smaller batches on the embedded engine: it has one connection, and learners wait while a batch uses it.
const BATCH_ROWS = { embedded: 1_000, postgres: 5_000 };
// Milliseconds of pause after each millisecond of work. With 1.75, callers keep more than half of their usual rate.
const PAUSE_RATIO = 1.75;
// An import pauses above this rate. A page that shows an import polls once a second; learners who redeem make tens of
// calls a second.
const BUSY_CALLS_A_SECOND = 10;

/**
 * Imports the file and returns the state of the import. A second upload with the same `import_id` imports nothing and
 * returns the state of the first.
 * @throws AppError invalid_request or product_not_found before anything is written; unavailable if the database failed
 * after the file was stored: the job is then retried.
 */
export async function importCsv(db: Database, upload: Upload, tools: UploadTools): Promise<ImportState> {
  const id = (upload.import_id ?? tools.randomUuid()).toLowerCase();
  const job = (await findImport(db, id)) === null ? await openImport(db, id, upload, tools.now()) : null;
  if (job !== null) await tools.runJob(job).catch(throwUnfinished);
  const state = await findImportState(db, id, NAMED_ERRORS);
  if (state === null) throw new AppError('not_found', 'Import not found');
  return state;
}

/**
 * Cancels a running or failed import. Imported rows stay, and a running batch is completed first. Returns false if the
 * import is done, was cancelled before, or does not exist.
 */
export async function cancelImport(
  db: Database,
  id: string,
  { now, actor }: { now: () => Date; actor: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Locks the job before the import, as failures and retries do: two transactions with opposite orders would
    // deadlock.
    await cancelJob(tx, { kind: 'import', key: id }, now());
    if (!(await lockImport(tx, id))) return false;
    await setImportState(tx, id, 'cancelled', null);
    await createAuditLine(tx, { actor, action: 'import.cancel', detail: { import_id: id } });
    return true;
  });
}

/**
 * Throws `unavailable` for a database error that a retry of the job can overcome, and `cause` itself for other errors.
 */
function throwUnfinished(cause: unknown): never {
  if (!isRefusedForNow(cause)) throw cause;
  throw new AppError('unavailable', 'The import goes on; its results will be shown here.', { cause });
}

/** Checks the file and stores it with its job. Returns null if a concurrent upload with the same id was first. */
async function openImport(
  db: Database,
  id: string,
  { kind, csvData, file_name, product_ids, actor }: Upload,
  now: Date,
): Promise<Job | null> {
  const rows_total = await checkCsv(kind, csvData);
  const known =
    product_ids.every(isUuid) && (await countProducts(db, product_ids)) === new Set(product_ids).size;
  if (!known && kind === 'coupons') throw new AppError('product_not_found', 'Product not found');
  if (!known) throw new AppError('invalid_request', 'product_ids names a product that does not exist');
  const created_by = actor;
  return db.transaction(async (tx) => {
    const [product_id] = product_ids;
    const batch_id =
      kind === 'coupons' && product_id !== undefined
        ? await createBatch(tx, { product_id, source: 'file', file_name, created_by })
        : null;
    const source = markUnstorable(csvData);
    const job = {
      id,
      kind,
      product_ids,
      created_by,
      batch_id,
      source,
      rows_total,
      file_name: file_name ?? null,
    };
    if (!(await createImport(tx, job))) return null;
    await createAuditLine(tx, {
      actor,
      action: `${kind}.import`,
      detail: { import_id: id, file_name, rows_total },
    });
    return enqueueRunningJob(tx, { kind: 'import', key: id, data: { about: file_name } }, now);
  });
}

/**
 * Handles an import's job: continues after the rows that are imported already. Returns 'released' if the import is not
 * done, because this process stops, another process has claimed the job, or the import was cancelled.
 */
export async function runImport(
  db: Database,
  id: string,
  tools: ImportTools,
  { renew }: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  if (tools.isStopping()) return 'released';
  const job = await findImport(db, id);
  if (job?.state !== 'running' || job.source === null) return;
  let position = 0;
  let startedMs = performance.now();
  let last = { atMs: startedMs, calls: tools.countCalls?.() ?? 0 };
  for await (const batch of takeBatches(readCsv(job.kind, job.source), BATCH_ROWS[db.engine])) {
    // Skips the records that were imported before an interruption.
    const records = batch.slice(Math.max(job.rows_done - position, 0));
    const from = position + batch.length - records.length;
    position += batch.length;
    if (records.length === 0) continue;
    // `importBatch` returns false if another process has imported these rows or the import was cancelled.
    const mayContinue =
      !tools.isStopping() && (await importBatch(db, job, { from, records }, tools)) && (await renew());
    if (!mayContinue) return 'released';
    const atMs = performance.now();
    // Includes the calls during the last pause, because the embedded engine serves none while a batch is written.
    const calls = tools.countCalls?.() ?? 0;
    const callsASecond = (calls - last.calls) / ((atMs - last.atMs) / 1000);
    const isBusy = tools.countCalls === null || callsASecond > BUSY_CALLS_A_SECOND;
    last = { atMs, calls };
    await tools.pause(isBusy ? (atMs - startedMs) * PAUSE_RATIO : 0);
    startedMs = performance.now();
  }
  await finishImport(db, job.id);
  await analyseTables(db);
  return;
}

async function importBatch(
  db: Database,
  job: ImportJob,
  { from, records }: { from: number; records: CsvRecord[] },
  { randomBytes }: ImportTools,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockImportAt(tx, job.id, from))) return false;
    const { errors, ...tally } = await importRows(tx, job, records, randomBytes);
    if (errors.length > 0) await createImportErrors(tx, job.id, errors);
    await addToImport(tx, job.id, tally);
    return true;
  });
}

async function* takeBatches(records: AsyncIterable<CsvRecord>, size: number): AsyncGenerator<CsvRecord[]> {
  let batch: CsvRecord[] = [];
  for await (const record of records) {
    batch.push(record);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
