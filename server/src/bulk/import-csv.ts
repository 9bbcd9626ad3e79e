// Imports a CSV file in batches. An invalid file is refused before any row is imported. An interrupted import continues
// later.
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type CsvKind,
  type CsvOptions,
  type ImportState,
  markUnstorable,
  NAMED_ERRORS,
} from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database, Db } from '../db/database.ts';
import { isRefusedForNow } from '../db/errors.ts';
import { isUuid } from '../db/is-uuid.ts';
import { requireProducts, unknownProduct } from '../features/access/require-products.ts';
import { resolveDays } from '../features/access/resolve-days.ts';
import { createBatch } from '../features/codes/new-coupons.sql.ts';
import { requireCohort } from '../features/cohorts/find-cohort.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { enqueueRunningJob, type Job } from '../jobs/jobs.sql.ts';
import { createRefused, deleteRefused, lockChecks } from './checks.sql.ts';
import { withSource } from './import-sources.sql.ts';
import { findImportState, type WithUploader } from './import-states.sql.ts';
import { createImport, findUpload, type ImportJob, type SentUpload } from './imports.sql.ts';
import { checkCsv } from './read-csv.ts';

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
  /** app_user.id of the actor, who may read the codes of the file again. */
  uploader?: string | undefined;
  /** The language in which people are told by mail what they get; undefined if they are not told. */
  tell?: string | undefined;
  /** True if the rows are only checked. Staff import or discard the file later (R-IMP-01). */
  check?: boolean | undefined;
} & CsvOptions;

/** At most this number of files may wait until staff import or discard them. */
const CHECKED_MAX = 20;

/**
 * Imports the file, or checks it, and returns the state of the import. If the same upload is sent again with the same
 * `import_id`, imports nothing and returns the state of the first import, unless the first file was refused.
 * A file that cannot be read is stored as refused.
 * @throws AppError id_in_use if another upload has the id; invalid_request, product_not_found or cohort_not_found before a
 * row is imported; too_many if too many checked files wait; unavailable if the database fails after the file was stored
 * (the job is then retried).
 */
export async function importCsv(
  db: Database,
  upload: Upload,
  tools: UploadTools,
): Promise<ImportState & WithUploader> {
  const { id, job } = await storeUpload(db, upload, tools);
  return finishUpload(db, id, job, tools);
}

/**
 * Checks the columns and quotes of the file, and stores it. Returns its id, and the job that imports or checks it; the
 * caller runs the job (`finishUpload`). The job is null if the same upload was stored before. @throws as `importCsv`.
 */
export async function storeUpload(
  db: Database,
  upload: Upload,
  tools: UploadTools,
): Promise<{ id: string; job: Job | null }> {
  const id = (upload.import_id ?? tools.randomUuid()).toLowerCase();
  // Each step that reads the whole text takes up to 0.2 s. Other requests are served between the steps.
  await setImmediate();
  const sha256 = hash('sha256', upload.csvData);
  const first = await findUpload(db, id);
  if (first !== null) refuseOther(first, { ...upload, sha256 });
  const isNew = first === null || first.state === 'refused';
  const job = isNew ? await openImport(db, id, { ...upload, sha256 }, tools) : null;
  if (isNew && job === null) refuseOther(await findUpload(db, id), { ...upload, sha256 });
  return { id, job };
}

/**
 * @throws AppError id_in_use unless `first`, the upload that has the id, is the same upload: the same file, sent by the
 * same person for the same products and the same cohort (N-321). A refused file may be sent again after a correction.
 */
function refuseOther(first: SentUpload | null, upload: Upload & { sha256: string }): void {
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
 * Runs the job of an upload, if there is one to run, and returns the state of the upload.
 * @throws AppError not_found if the upload does not exist; unavailable if the job will be retried.
 */
export async function finishUpload(
  db: Database,
  id: string,
  job: Job | null,
  { runJob }: Pick<UploadTools, 'runJob'>,
): Promise<ImportState & WithUploader> {
  if (job !== null) await runJob(job).catch(throwUnfinished);
  const state = await findImportState(db, id, NAMED_ERRORS);
  if (state === null) throw new AppError('not_found', 'Import not found');
  return state;
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
 * Checks the columns and quotes of the file, and stores it together with a new job. Returns the job, or null if a
 * concurrent upload with the same id was stored first.
 */
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
    columns,
    header,
    blanks,
    check = false,
  } = upload;
  const at = now();
  const days = kind === 'users' ? resolveDays(upload, dayOf(at)) : { starts_on: null, ends_on: null };
  const file_name = upload.file_name ?? null;
  await setImmediate();
  const source = markUnstorable(csvData);
  await setImmediate();
  const options: CsvOptions = { columns, header, blanks, dates: upload.dates };
  const {
    records: rows_total,
    ignored,
    dates,
    ...found
  } = await checkCsv(kind, source, options).catch(async (error) => {
    await refuse(db, id, upload, error);
    throw error;
  });
  const unknown = kind === 'users' ? unknownProduct() : undefined;
  const product_ids = await requireProducts(db, upload.product_ids, unknown);
  if (cohort_id !== undefined) await requireCohort(db, cohort_id);
  const addImport = async (tx: Db, stored: Pick<ImportJob, 'source' | 'source_id'>): Promise<Job | null> => {
    if (check && (await lockChecks(tx)) >= CHECKED_MAX)
      throw new AppError('too_many', 'Import or discard one of these first');
    await deleteRefused(tx, id);
    const [product_id = ''] = product_ids;
    // A file that is only checked gets its batch when the import starts.
    const batch_id = kind === 'coupons' && !check ? await createFileBatch(tx, product_id, upload) : null;
    const job = {
      id,
      kind,
      product_ids,
      created_by: actor,
      state: check ? ('checking' as const) : ('running' as const),
      batch_id,
      ...stored,
      rows_total,
      ...days,
      cohort_id: cohort_id ?? null,
      file_name,
      detail: {
        ...{ ...options, dates, found, ignored, tell: upload.tell, uploader, sha256 },
        ...(check && { check: true as const }),
      },
    };
    if (!(await createImport(tx, job))) return null;
    await createAuditLine(tx, {
      actor,
      action: check ? 'import.check' : 'import.start',
      ...(kind === 'coupons' && { product_id }),
      ...(batch_id !== null && { batch_id }),
      ...(cohort_id !== undefined && { cohort_id }),
      detail: { import_id: id, kind, file_name: upload.file_name, rows_total },
    });
    // Not `at`: reading the file takes seconds, and the lease of the job begins now.
    return enqueueRunningJob(tx, { kind: 'import', key: id, data: { about: upload.file_name } }, now());
  };
  return withSource(db, source, (stored) => db.transaction((tx) => addImport(tx, stored)));
}

/** Creates the batch of the codes in a file. Returns its id. */
export function createFileBatch(
  tx: Db,
  product_id: string,
  { file_name, actor }: { file_name?: string | undefined; actor: string },
): Promise<string> {
  return createBatch(tx, { product_id, source: 'file', file_name, created_by: actor });
}

/** Stores why a file cannot be read (R-IMP-16). */
async function refuse(
  db: Database,
  id: string,
  { kind, file_name, product_ids, actor, uploader }: Upload,
  error: unknown,
): Promise<void> {
  if (!(error instanceof AppError)) return;
  const known = { product_ids: product_ids.filter(isUuid), created_by: actor, uploader };
  await createRefused(db, { id, kind, file_name: file_name ?? null, ...known, reason: error.message });
}
