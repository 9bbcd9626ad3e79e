// Imports a CSV file in batches. An invalid file is refused before any row is imported. An interrupted import continues
// later.
import { type CsvKind, type ImportState, markUnstorable, NAMED_ERRORS } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database, Db } from '../db/database.ts';
import { isRefusedForNow } from '../db/refused-for-now.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { cancelJob, enqueueRunningJob, type Job } from '../jobs/stores/jobs.ts';
import { createAuditLine } from '../stores/audit.ts';
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
import { createBatch } from '../stores/new-coupons.ts';
import type { RandomBytes } from './coupon-code.ts';
import { requireCohort } from './find-cohort.ts';
import { createPauses, type WorkTools } from './give-way.ts';
import { importRows } from './import-rows.ts';
import { type CsvRecord, checkCsv, readCsv } from './read-csv.ts';
import { requireProducts, unknownProduct } from './require-products.ts';
import { resolveDays } from './resolve-days.ts';
import { auditBatchAct } from './run-batch-act.ts';
import { auditPeopleAct } from './run-people-act.ts';

/** Dependencies of `importCsv`. */
export type UploadTools = {
  now: () => Date;
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
  /** Returns a new id, for an upload without `import_id`. */
  randomUuid: () => string;
  /**
   * Runs the job of the import in this process. Resolves when the job has ended, or has failed and waits for its next
   * try.
   */
  runJob: (job: Job) => Promise<void>;
};

/** Dependencies of `runImport`, the job that imports the rows. */
export type ImportTools = WorkTools & { randomBytes: RandomBytes };

export type Upload = {
  kind: CsvKind;
  csvData: string;
  import_id?: string | undefined;
  file_name?: string | undefined;
  product_ids: string[];
  cohort_id?: string | undefined;
  starts_on?: string | null | undefined;
  ends_on?: string | null | undefined;
  actor: string;
};

// Rows in one batch. Batches are smaller on the embedded engine: it has one connection, so learners wait while a batch
// is written.
const BATCH_ROWS = { embedded: 1_000, postgres: 5_000 };

/**
 * Imports the file and returns the state of the import. A second upload with the same `import_id` imports nothing and
 * returns the state of the first import.
 * @throws AppError invalid_request, product_not_found or cohort_not_found before anything is written. @throws AppError unavailable if the
 * database fails after the file was stored; the job is then retried.
 */
export async function importCsv(db: Database, upload: Upload, tools: UploadTools): Promise<ImportState> {
  const id = (upload.import_id ?? tools.randomUuid()).toLowerCase();
  const job = (await findImport(db, id)) === null ? await openImport(db, id, upload, tools) : null;
  if (job !== null) await tools.runJob(job).catch(throwUnfinished);
  const state = await findImportState(db, id, NAMED_ERRORS);
  if (state === null) throw new AppError('not_found', 'Import not found');
  return state;
}

/**
 * Cancels a running or failed import, or an act on a batch of codes or on people. What is done stays as it is, and
 * a step that has begun is completed. Returns false if the import is done, was cancelled before, or does not exist.
 */
export async function cancelImport(
  db: Database,
  id: string,
  { now, actor }: { now: () => Date; actor: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Locks the job first and then the import. The functions that record a failure or retry a job use the same order.
    // With the opposite order here, two transactions could deadlock.
    await cancelJob(tx, { kind: 'import', key: id }, now());
    if (!(await lockImport(tx, id))) return false;
    await setImportState(tx, id, 'cancelled', null);
    await auditBatchAct(tx, id);
    await auditPeopleAct(tx, id);
    await createAuditLine(tx, { actor, action: 'import.cancel', detail: { import_id: id } });
    return true;
  });
}

/**
 * Throws `unavailable` if `cause` is a temporary database error, because the job will be retried. Throws `cause` itself
 * otherwise.
 */
function throwUnfinished(cause: unknown): never {
  if (!isRefusedForNow(cause)) throw cause;
  throw new AppError('unavailable', 'The import goes on; its results will be shown here.', { cause });
}

/**
 * Checks the file, and stores it together with a new job. Returns the job, or null if a concurrent upload with the same
 * id was stored first.
 */
async function openImport(
  db: Database,
  id: string,
  { kind, csvData, file_name, product_ids, cohort_id, actor, ...given }: Upload,
  { now, dayOf }: UploadTools,
): Promise<Job | null> {
  const at = now();
  const days = kind === 'users' ? resolveDays(given, dayOf(at)) : { starts_on: null, ends_on: null };
  const rows_total = await checkCsv(kind, csvData);
  await requireProducts(db, product_ids, kind === 'users' ? unknownProduct() : undefined);
  if (cohort_id !== undefined) await requireCohort(db, cohort_id);
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
      ...days,
      cohort_id: cohort_id ?? null,
      file_name: file_name ?? null,
    };
    if (!(await createImport(tx, job))) return null;
    await createAuditLine(tx, {
      actor,
      action: 'import.start',
      ...(batch_id !== null && { batch_id, product_id }),
      ...(cohort_id !== undefined && { cohort_id }),
      detail: { import_id: id, kind, file_name, rows_total },
    });
    return enqueueRunningJob(tx, { kind: 'import', key: id, data: { about: file_name } }, at);
  });
}

/**
 * Runs the job of an import. Continues after the rows that were imported before.
 * Returns 'released' if the import is not done. The reasons: this process stops, another process has claimed the job,
 * or the import was cancelled.
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
  const giveWay = createPauses(tools);
  for await (const batch of takeBatches(readCsv(job.kind, job.source), BATCH_ROWS[db.engine])) {
    // Skips the records that were imported before the job was interrupted.
    const records = batch.slice(Math.max(job.rows_done - position, 0));
    const from = position + batch.length - records.length;
    position += batch.length;
    if (records.length === 0) continue;
    // `importBatch` returns false if another process has imported these rows or the import was cancelled.
    const mayContinue =
      !tools.isStopping() && (await importBatch(db, job, { from, records }, tools)) && (await renew());
    if (!mayContinue) return 'released';
    await giveWay();
  }
  await db.transaction(async (tx) => {
    if (await finishImport(tx, job.id)) await auditImport(tx, job.id, 'import.done');
  });
  await analyseTables(db);
  return;
}

/**
 * Writes the audit line of an import that is done or has failed, with its counts and the reason. Writes nothing if `id`
 * is the id of another job; see `auditBatchAct` and `auditPeopleAct`.
 */
export async function auditImport(tx: Db, id: string, action: 'import.done' | 'import.fail'): Promise<void> {
  const [job, state] = [await findImport(tx, id), await findImportState(tx, id, 0)];
  if (job === null || state === null) return;
  const { kind, file_name, reason, results } = state;
  await createAuditLine(tx, {
    actor: job.created_by,
    action,
    ...(job.batch_id !== null && { batch_id: job.batch_id, product_id: job.product_ids[0] }),
    ...(job.cohort_id !== null && { cohort_id: job.cohort_id }),
    detail: { import_id: id, kind, file_name, ...(reason !== null && { reason }), ...results },
  });
}

async function importBatch(
  db: Database,
  job: ImportJob,
  { from, records }: { from: number; records: CsvRecord[] },
  { randomBytes, now, dayOf }: ImportTools,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockImportAt(tx, job.id, from))) return false;
    const { errors, ...tally } = await importRows(tx, job, records, { randomBytes, today: dayOf(now()) });
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
