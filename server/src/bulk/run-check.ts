// Checks a file: compares all rows with the database. The job of a check stores what an import would do (R-IMP-01); a dry
// run of the operator only returns it.
import {
  COUPON_CODE_MAX,
  canonicalKey,
  type ImportPreview,
  type ImportSample,
  markUnstorable,
  NAMED_ERRORS,
} from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { requireProducts, unknownProduct } from '../features/access/require-products.ts';
import { finishJob, type Job } from '../jobs/jobs.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { type CheckCounts, type CheckedUpload, checkRows, NO_COUNTS } from './check-rows.ts';
import { finishCheck, restartCheck } from './checks.sql.ts';
import { countElsewhere } from './file-lookups.sql.ts';
import { createPauses, type WorkTools } from './give-way.ts';
import type { Upload } from './import-csv.ts';
import { createImportErrors, type InvalidRow } from './import-rows.sql.ts';
import { addToImport, type ImportJob, lockImportAt, NO_TALLY } from './imports.sql.ts';
import { BATCH_ROWS, type CsvRecord, checkCsv, readCsv, takeBatches } from './read-csv.ts';
import { SeenKeys } from './seen-keys.ts';

const SAMPLE_ROWS = 5;
/** Number of codes that are looked up in the other products (R-IMP-06). */
const ELSEWHERE_CODES = 1_000;

/**
 * Checks the file of an upload. An interrupted check begins with the first row again, because it has written nothing.
 * Writes only to the row of the upload and its invalid rows. Returns 'released' if the check is not done. The reasons:
 * this process stops, another process has claimed the job, or the check was cancelled.
 */
export async function runCheck(
  db: Database,
  upload: ImportJob & { source: string },
  tools: WorkTools,
  { job, renew }: Pick<JobTools, 'renew'> & { job: Job },
): Promise<'released' | undefined> {
  const { id } = upload;
  await db.transaction((tx) => restartCheck(tx, id));
  const giveWay = createPauses(tools);
  let found = NOTHING_FOUND;
  for await (const batch of checkBatches(db, upload, tools)) {
    if (tools.isStopping()) return 'released';
    const { records, errors } = batch;
    const from = found.counts.total;
    const mayContinue = await db.transaction(async (tx) => {
      if (!(await lockImportAt(tx, id, from, 'checking'))) return false;
      if (errors.length > 0) await createImportErrors(tx, id, errors);
      await addToImport(tx, id, { ...NO_TALLY, rows: records.length, failures: errors.length });
      return true;
    });
    if (!mayContinue || !(await renew())) return 'released';
    found = addBatch(found, batch);
    await giveWay();
  }
  const checked = await completePreview(db, upload, found);
  await db.transaction(async (tx) => {
    // The job ends together with the check. So staff can start the import at once, which is a new job with the same key.
    if (await finishCheck(tx, id, checked)) await finishJob(tx, job);
  });
  return;
}

/**
 * Returns what an import of the file would do, and its first invalid rows. Writes nothing, not even a refused file or a
 * line of the log.
 * @throws AppError as `importCsv`; unavailable if the process stops before all rows are checked.
 */
export async function previewImport(
  db: Database,
  { kind, csvData, product_ids: named }: Pick<Upload, 'kind' | 'csvData' | 'product_ids'>,
  tools: WorkTools,
): Promise<{ preview: ImportPreview; errors: InvalidRow[] }> {
  const source = markUnstorable(csvData);
  const { records: rows_total, dates } = await checkCsv(kind, source);
  const product_ids = await requireProducts(db, named, kind === 'users' ? unknownProduct() : undefined);
  const upload: CheckedFile = {
    ...{ kind, source, product_ids, rows_total, detail: { dates } },
    ...{ cohort_id: null, starts_on: null, ends_on: null },
  };
  const giveWay = createPauses(tools);
  let found = NOTHING_FOUND;
  const errors: InvalidRow[] = [];
  for await (const batch of checkBatches(db, upload, tools)) {
    if (tools.isStopping())
      throw new AppError('unavailable', 'The portal stops before the whole file was checked.');
    errors.push(...batch.errors.slice(0, NAMED_ERRORS - errors.length));
    found = addBatch(found, batch);
    await giveWay();
  }
  const { preview } = await completePreview(db, upload, found);
  return { preview, errors };
}

type CheckedFile = CheckedUpload & Pick<ImportJob, 'rows_total' | 'detail'> & { source: string };
type CheckedBatch = { records: CsvRecord[]; counts: CheckCounts; errors: InvalidRow[] };

/** Yields the rows of the file in batches, compared with the database. Only reads the database. */
async function* checkBatches(
  db: Database,
  upload: CheckedFile,
  tools: Pick<WorkTools, 'now' | 'dayOf'>,
): AsyncGenerator<CheckedBatch> {
  const { kind, source, detail } = upload;
  const seen = new SeenKeys(upload.rows_total);
  for await (const records of takeBatches(readCsv(kind, source, detail), BATCH_ROWS[db.engine]))
    yield { records, ...(await checkRows(db, upload, records, { today: tools.dayOf(tools.now()), seen })) };
}

/** What a check has found so far. `first` has the first records, at most `ELSEWHERE_CODES`. */
type Found = { counts: CheckCounts; first: CsvRecord[] };
const NOTHING_FOUND: Found = { counts: NO_COUNTS, first: [] };

function addBatch({ counts, first }: Found, batch: CheckedBatch): Found {
  const more = batch.records.slice(0, ELSEWHERE_CODES - first.length);
  return { counts: addCounts(counts, batch.counts), first: more.length > 0 ? [...first, ...more] : first };
}

/** Looks the first codes up in other products. Returns the preview of the import and the first rows. */
async function completePreview(
  db: Database,
  { kind, product_ids: [product_id = ''] }: CheckedUpload,
  { counts, first }: Found,
): Promise<{ preview: ImportPreview; sample: ImportSample }> {
  // A longer text is no code. The texts of 1,000 rows may be as long as the file.
  const isCode = (text: string) => text !== '' && text.length <= 2 * COUPON_CODE_MAX;
  const codes =
    kind === 'coupons' ? first.map(({ cells }) => canonicalKey(cells.coupon_code ?? '')).filter(isCode) : [];
  const elsewhere = codes.length === 0 ? [] : await countElsewhere(db, product_id, [...new Set(codes)]);
  return { preview: { ...counts, elsewhere }, sample: first.slice(0, SAMPLE_ROWS).map(({ cells }) => cells) };
}

function addCounts(one: CheckCounts, other: CheckCounts): CheckCounts {
  const names = Object.keys(NO_COUNTS) as (keyof CheckCounts)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as CheckCounts;
}
