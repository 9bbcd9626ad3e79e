// Stores uploads of files, starts or discards checked files, and cancels imports. import.ts and check.ts read the rows.
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type CsvKind,
  type CsvOptions,
  type ImportState,
  type JobState,
  markUnstorable,
  NAMED_ERRORS,
} from '@portal/contract';
import { AppError } from '../app-error.ts';
import { type Database, type Db, isRefusedForNow, isUuid } from '../db/database.ts';
import { requireProducts, resolveDays, unknownProduct } from '../features/access/grants.ts';
import { createBatch } from '../features/codes/batches.sql.ts';
import { requireCohort } from '../features/cohorts/members.ts';
import { createAuditLine, withOrigin } from '../features/log/audit.sql.ts';
import { cancelNotices } from '../features/people/mails.sql.ts';
import { cancelJob, enqueueRunningJob, findJobData, type Job, originOfJob } from '../jobs/jobs.sql.ts';
import * as jobs from './bulk-jobs.sql.ts';
import { reportEnd } from './bulk-kinds.ts';
import { withSource } from './import-sources.sql.ts';
import { checkCsv } from './read-file.ts';
import type { UploadTools } from './run-bulk.ts';

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
  /** app_user.id of the actor, who may read the codes of this file later. */
  uploader?: string | undefined;
  /** The language of the mails about new benefits; undefined if no mails are sent. */
  tell?: string | undefined;
  /** True if known people get the names of the file (R-MAP-24). */
  update_names?: boolean | undefined;
  /** True if the rows are only checked. Staff import or discard the file later (R-IMP-01). */
  check?: boolean | undefined;
} & CsvOptions;

/** The largest number of checked files that wait until staff import or discard them. */
const CHECKED_MAX = 20;

/**
 * Imports or checks the file, and returns the state of the upload. A file that cannot be read is stored as refused. If
 * the same file was sent before with the same `import_id`, imports nothing and returns the state of the first upload. A
 * file whose first upload was refused is imported.
 * @throws AppError id_in_use if another upload has the id; invalid_request, product_not_found or cohort_not_found
 * before a row is imported; too_many if too many checked files wait; unavailable if the database fails after the file
 * was stored (the job is then retried).
 */
export async function importCsv(
  db: Database,
  upload: Upload,
  tools: UploadTools,
): Promise<ImportState & jobs.WithUploader> {
  const { id, job } = await storeUpload(db, upload, tools);
  return finishUpload(db, id, job, tools);
}

/**
 * Checks the columns and quotes of the file, and stores it. Returns the id of the upload, and the job that imports or
 * checks the file; null if the same file was stored before. The caller runs the job by `finishUpload`.
 * @throws AppError as `importCsv`.
 */
export async function storeUpload(
  db: Database,
  upload: Upload,
  tools: UploadTools,
): Promise<{ id: string; job: Job | null }> {
  const id = (upload.import_id ?? tools.randomUuid()).toLowerCase();
  // Each function that reads the whole text takes up to 0.2 s. `setImmediate` lets other requests be served in between.
  await setImmediate();
  const hashed = { ...upload, sha256: hash('sha256', upload.csvData) };
  const first = await jobs.findBulkJob<jobs.ImportDetail>(db, id);
  refuseOther(first, hashed);
  const isNew = first === null || first.state === 'refused';
  const job = isNew ? await openImport(db, id, hashed, tools) : null;
  if (isNew && job === null) refuseOther(await jobs.findBulkJob<jobs.ImportDetail>(db, id), hashed);
  return { id, job };
}

/**
 * Compares the upload with `first`, the upload that already has the same id; null if there is none.
 * @throws AppError id_in_use unless both uploads are the same: the same file, sent by the same person for the same
 * products and the same cohort (N-321). A refused file may be sent again after a correction.
 */
function refuseOther(
  first: jobs.BulkJob<jobs.ImportDetail> | null,
  upload: Upload & { sha256: string },
): void {
  if (first === null) return;
  const { uploader, sha256 = upload.sha256 } = first.detail;
  const idsOf = (ids: readonly string[]) => [...new Set(ids.map((id) => id.toLowerCase()))].sort().join();
  const isSame =
    first.kind === upload.kind &&
    (uploader === undefined ? first.created_by === upload.actor : uploader === upload.uploader) &&
    (first.state === 'refused' ||
      (sha256 === upload.sha256 &&
        idsOf(first.product_ids) === idsOf(upload.product_ids) &&
        first.cohort_id === (upload.cohort_id?.toLowerCase() ?? null)));
  if (!isSame) throw new AppError('id_in_use', 'This import_id was used for another upload.');
}

/**
 * Runs `job`, unless it is null, and returns the state of the upload.
 * @throws AppError not_found if the upload does not exist; unavailable if the job will be retried.
 */
export async function finishUpload(
  db: Database,
  id: string,
  job: Job | null,
  { runJob }: Pick<UploadTools, 'runJob'>,
): Promise<ImportState & jobs.WithUploader> {
  if (job !== null)
    await runJob(job).catch((cause: unknown) => {
      // After a temporary error of the database, the job is retried. Other errors are thrown unchanged.
      if (!isRefusedForNow(cause)) throw cause;
      throw new AppError('unavailable', 'The import goes on; its results will be shown here.', { cause });
    });
  return requireImport(db, id, NAMED_ERRORS);
}

/** Stores the file and its job. Returns null if a concurrent upload with the same id was stored first. */
async function openImport(
  db: Database,
  id: string,
  upload: Upload & { sha256: string },
  { now, dayOf }: UploadTools,
): Promise<Job | null> {
  const {
    kind,
    csvData,
    sha256,
    cohort_id,
    actor,
    uploader,
    file_name,
    tell,
    update_names,
    check = false,
  } = upload;
  const { columns, header, blanks, dates: order, separator, skip_lines } = upload;
  const days = kind === 'users' ? resolveDays(upload, dayOf(now())) : {};
  await setImmediate();
  const source = markUnstorable(csvData);
  await setImmediate();
  const options: CsvOptions = { columns, header, blanks, dates: order, separator, skip_lines };
  const checked = await checkCsv(kind, source, options).catch(async (error) => {
    // A file that cannot be read is stored as refused, with the reason (R-IMP-16).
    if (error instanceof AppError) {
      const known = { kind, created_by: actor, product_ids: upload.product_ids.filter(isUuid), file_name };
      const refused = { ...known, state: 'refused' as const, source: null, reason: error.message };
      await jobs.createBulkJob(db, id, { ...refused, rows_total: 0, detail: { uploader } });
    }
    throw error;
  });
  const { records: rows_total, ignored, left_out, dates, ...found } = checked;
  const unknown = kind === 'users' ? unknownProduct() : undefined;
  const product_ids = await requireProducts(db, upload.product_ids, unknown);
  if (cohort_id !== undefined) await requireCohort(db, cohort_id);
  const addImport = async (
    tx: Db,
    stored: Pick<jobs.ImportJob, 'source' | 'source_id'>,
  ): Promise<Job | null> => {
    if (check && (await jobs.lockChecks(tx)) >= CHECKED_MAX)
      throw new AppError('too_many', 'Import or discard one of these first');
    await jobs.deleteRefused(tx, id);
    const [product_id = ''] = product_ids;
    // A file that is only checked gets its batch when the import starts.
    const batch = { product_id, source: 'file' as const, file_name, created_by: actor };
    const batch_id = kind === 'coupons' && !check ? await createBatch(tx, batch) : null;
    const added = await jobs.createBulkJob<jobs.ImportDetail>(tx, id, {
      ...{ kind, product_ids, created_by: actor, batch_id, rows_total, ...stored, ...days },
      ...{ state: check ? 'checking' : 'running', cohort_id: cohort_id ?? null, file_name },
      detail: {
        ...options,
        dates,
        found,
        ignored,
        left_out,
        tell,
        update_names,
        uploader,
        sha256,
        ...(check && { check }),
      },
    });
    if (!added) return null;
    await createAuditLine(tx, {
      actor,
      action: check ? 'import.check' : 'import.start',
      ...{ product_id: kind === 'coupons' ? product_id : null, batch_id, cohort_id: cohort_id ?? null },
      detail: { import_id: id, kind, file_name, rows_total },
    });
    // The lease of the job begins only now, because reading the file took up to some seconds.
    return enqueueRunningJob(tx, { kind: 'import', key: id, data: { about: file_name } }, now());
  };
  return withSource(db, source, (stored) => db.transaction((tx) => addImport(tx, stored)));
}

/**
 * Imports a checked file (R-IMP-02, R-IMP-03), and returns the state of the import. A second call imports nothing and
 * only returns the state. Does not check the cohort again: people can join a cohort that was archived after the check.
 * @throws AppError not_found if there is no such file, or it was discarded or cancelled before; import_running if the
 * file is still being checked; product_not_found if a product was archived after the check.
 */
export async function startChecked(
  db: Database,
  { id, actor }: { id: string; actor: string },
  tools: UploadTools,
): Promise<ImportState & jobs.WithUploader> {
  const job = await db.transaction(async (tx) => {
    const file = await jobs.lockChecked(tx, id);
    if (file === null) return null;
    const { kind, product_ids, cohort_id, rows_total } = file;
    const file_name = file.file_name ?? undefined;
    await requireProducts(tx, product_ids, kind === 'users' ? unknownProduct() : undefined);
    const [product_id = ''] = product_ids;
    const batch = { product_id, source: 'file' as const, file_name, created_by: actor };
    const batch_id = kind === 'coupons' ? await createBatch(tx, batch) : null;
    await jobs.beginImport(tx, id, { actor, batch_id });
    await createAuditLine(tx, {
      actor,
      action: 'import.start',
      ...{ product_id: kind === 'coupons' ? product_id : null, batch_id, cohort_id },
      detail: { import_id: id, kind, file_name, rows_total },
    });
    return enqueueRunningJob(tx, { kind: 'import', key: id, data: { about: file_name } }, tools.now());
  });
  const state = await finishUpload(db, id, job, tools);
  if (state.checking) throw new AppError('import_running', 'This file is still being checked.');
  // Only the call that started the import returns the state 'cancelled'. Every later call throws not_found for a
  // cancelled file.
  if (state.state === 'refused' || (state.state === 'cancelled' && job === null))
    throw new AppError('not_found', 'Import not found');
  return state;
}

/**
 * Deletes a checked file.
 * @throws AppError not_found if there is no checked file with this id.
 */
export async function discardChecked(
  db: Database,
  { id, actor }: { id: string; actor: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const file = await jobs.deleteChecked(tx, id);
    if (file === null) throw new AppError('not_found', 'Import not found');
    const { kind, file_name } = file;
    await createAuditLine(tx, {
      actor,
      action: 'import.discard',
      detail: { import_id: id, kind, ...(file_name !== null && { file_name }) },
    });
  });
}

/**
 * Cancels a running or failed import or bulk action. Does not undo changes, and does not interrupt a step that is
 * running. Returns false if the job is done, was cancelled before, or does not exist.
 */
export async function cancelImport(
  db: Database,
  id: string,
  { now, actor }: { now: () => Date; actor: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Locks the row of `job` first and then the import, like the functions that record a failure or retry a job. With
    // another order here, two transactions could deadlock.
    const job = await findJobData(tx, { kind: 'import', key: id });
    await cancelJob(tx, { kind: 'import', key: id }, now());
    if (!(await jobs.setImportState(tx, id, 'cancelled', null))) return false;
    // The audit line about the changes so far names the person who started the job, and the origin of the request that
    // started the job.
    await withOrigin(originOfJob(job), () => reportEnd(tx, id));
    await cancelNotices(tx, { import_id: id }, 'The upload was stopped.');
    await createAuditLine(tx, { actor, action: 'import.cancel', detail: { import_id: id } });
    return true;
  });
}

/**
 * Returns the state of an import, a bulk action or an undo, with its first invalid rows, at most `named`.
 * @throws AppError not_found.
 */
export async function requireJob(db: Db, id: string, named: number): Promise<JobState & jobs.WithUploader> {
  const state = isUuid(id) ? await jobs.findJobState(db, id, named) : null;
  if (state === null) throw new AppError('not_found', 'Import not found');
  return state;
}

/** Returns the state of an import of a file, with its first invalid rows, at most `named`. @throws AppError not_found. */
export async function requireImport(db: Db, id: string, named = 0): Promise<ImportState & jobs.WithUploader> {
  const state = await requireJob(db, id, named);
  if (!jobs.isImport(state)) throw new AppError('not_found', 'Import not found');
  return state;
}
