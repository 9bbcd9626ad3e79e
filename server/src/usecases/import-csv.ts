// Imports a CSV file: refused before its first row, or finished, if need be after a restart.
import { type CsvKind, type ImportState, markUnstorable, NAMED_ERRORS } from '@portal/contract';
import { AppError } from '../app-error.ts';
import { type Database, isConflict, isConnectionFailure } from '../db/database.ts';
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

/** What an upload needs. */
export type UploadTools = {
  now: () => Date;
  /** Makes the id of an import that came without one. */
  randomUuid: () => string;
  /** Runs the import's job in this process until it ends. */
  runJob: (job: Job) => Promise<void>;
};

/** What the import itself needs. */
export type ImportTools = {
  randomBytes: RandomBytes;
  /** Resolves after so many milliseconds. */
  pause: (ms: number) => Promise<unknown>;
  /** True when the process is about to end: an import stops after its batch, to go on after the restart. */
  isStopping: () => boolean;
  /**
   * Calls that this process has answered so far: an import leaves time to callers, and goes at full speed when there are
   * none. Null when others may be served unseen, by another process on the same machine.
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

// The embedded engine has one connection, and learners wait while a batch has it.
const BATCH_ROWS = { embedded: 1_000, postgres: 5_000 };
// For each millisecond of reading and importing, so many for whoever is there: they keep more than half their usual rate.
const OTHERS_SHARE = 1.75;
// A page that follows an import asks once a second; learners who redeem come in tens.
const BUSY_CALLS_A_SECOND = 10;

/**
 * Imports the file and answers the finished import; the same import asked for twice is done once.
 * @throws AppError invalid_request or product_not_found before anything is written.
 */
export async function importCsv(db: Database, upload: Upload, tools: UploadTools): Promise<ImportState> {
  const id = (upload.import_id ?? tools.randomUuid()).toLowerCase();
  const job = (await findImport(db, id)) === null ? await openImport(db, id, upload, tools.now()) : null;
  if (job !== null) await tools.runJob(job).catch(sayItGoesOn);
  const state = await findImportState(db, id, NAMED_ERRORS);
  if (state === null) throw new AppError('not_found', 'Import not found');
  return state;
}

/** Cancels an import that runs or has failed. Rows that are in stay; a batch under way ends first. False when it has ended. */
export async function cancelImport(
  db: Database,
  id: string,
  { now, actor }: { now: () => Date; actor: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // The job first, as where an import fails or is tried again: two that lock in opposite order would deadlock.
    await cancelJob(tx, { kind: 'import', key: id }, now());
    if (!(await lockImport(tx, id))) return false;
    await setImportState(tx, id, 'cancelled', null);
    await createAuditLine(tx, { actor, action: 'import.cancel', detail: { import_id: id } });
    return true;
  });
}

/** The file is stored: whatever the database did to one batch, another try goes on from there. */
function sayItGoesOn(cause: unknown): never {
  if (!isConflict(cause) && !isConnectionFailure(cause)) throw cause;
  throw new AppError('unavailable', 'The import goes on; its results will be shown here.', { cause });
}

/** Answers null when the same upload, come twice at once, was opened by the other. */
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
 * The handler of an import's job: goes on where the import stands until it is done. Returns 'released' when it is not:
 * this process stops, another has claimed the job, or it was cancelled.
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
  let looked = { atMs: startedMs, calls: tools.countCalls?.() ?? 0 };
  for await (const batch of takeBatches(readCsv(job.kind, job.source), BATCH_ROWS[db.engine])) {
    // What was done before a restart is read over.
    const records = batch.slice(Math.max(job.rows_done - position, 0));
    const from = position + batch.length - records.length;
    position += batch.length;
    if (records.length === 0) continue;
    // Where another process was first, the next claim reads anew how far the import has come.
    const goesOn =
      !tools.isStopping() && (await importBatch(db, job, { from, records }, tools)) && (await renew());
    if (!goesOn) return 'released';
    const atMs = performance.now();
    // Counted over the last pause too: on the embedded engine nobody is answered while a batch is written.
    const calls = tools.countCalls?.() ?? 0;
    const callsASecond = (calls - looked.calls) / ((atMs - looked.atMs) / 1000);
    const isBusy = tools.countCalls === null || callsASecond > BUSY_CALLS_A_SECOND;
    looked = { atMs, calls };
    await tools.pause(isBusy ? (atMs - startedMs) * OTHERS_SHARE : 0);
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
