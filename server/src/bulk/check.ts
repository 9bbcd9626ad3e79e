// Checks a file: compares all rows with the database to find what an import would do. The job of a check stores the
// result (R-IMP-01). A dry run of the operator only returns the result.

import {
  COUPON_CODE_MAX,
  type CsvKind,
  canonicalKey,
  type ImportPreview,
  type ImportSample,
  type LeftOut,
  markUnstorable,
  NAMED_ERRORS,
} from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Clock } from '../day.ts';
import type { Database, Db } from '../db/database.ts';
import { requireProducts, unknownProduct } from '../features/access/grants.ts';
import { listFull } from '../features/cohorts/cohorts.sql.ts';
import { judgeRows } from '../features/people/people.ts';
import { findCodeTarget } from '../features/products/products.sql.ts';
import { finishJob, type Job } from '../jobs/jobs.sql.ts';
import { type ImportJob, restartCheck, type Step } from './bulk-jobs.sql.ts';
import { type Chunk, refusePeople } from './import.ts';
import type { ListedRow } from './import-rows.sql.ts';
import * as stored from './import-rows.sql.ts';
import * as csv from './read-file.ts';
import { createThrottle, type WorkTools } from './run-bulk.ts';
import type { Upload } from './uploads.ts';

const SAMPLE_ROWS = 5;
/** Maximum number of codes of a file that are looked up in the other products (R-IMP-06). */
const ELSEWHERE_CODES = 1_000;

type CheckedUpload = Pick<
  ImportJob,
  'kind' | 'product_ids' | 'cohort_id' | 'starts_on' | 'ends_on' | 'detail'
>;
type CheckCounts = Omit<ImportPreview, 'elsewhere'>;

const NO_COUNTS: CheckCounts = {
  total: 0,
  new: 0,
  duplicate: 0,
  in_file_twice: 0,
  invalid: 0,
  was_void: 0,
  generated: 0,
  joined: 0,
  case_only: 0,
  access_new: 0,
  without_name: 0,
  renamed: 0,
};

/**
 * Yields the work on the rows of a file, and then the work that ends the check. Stores only the invalid rows and the
 * progress of the upload. An interrupted check begins with the first row again.
 */
export async function* checkChunks(
  db: Database,
  upload: ImportJob & { source: string },
  tools: WorkTools,
  job: Job,
): AsyncGenerator<Chunk> {
  await db.transaction((tx) => restartCheck(tx, upload.id));
  let found = NOTHING_FOUND;
  for await (const chunk of readChunks(db, upload, tools)) {
    const { records, errors } = chunk;
    const run = async (tx: Db): Promise<Step> => {
      if (errors.length > 0) await stored.createImportErrors(tx, upload.id, errors);
      return { looked: records.length, changed: 0, failures: errors.length, ends: null, detail: {} };
    };
    yield { from: found.counts.total, run };
    found = addChunk(found, chunk);
  }
  const detail = await completePreview(db, upload, found);
  const run = async (tx: Db): Promise<Step> => {
    // Ends the job in the same transaction as the check. Otherwise staff could not start the import at once, because
    // the import is a new job with the same key.
    await finishJob(tx, job);
    return { changed: 0, ends: 'checked', detail };
  };
  yield { from: found.counts.total, run };
}

/**
 * Returns what an import of the file would do, the first invalid rows, and the lines that are no data. Writes nothing,
 * not even an audit line.
 * @throws AppError as `importCsv`; unavailable if the process stops before all rows are checked.
 */
export async function previewImport(
  db: Database,
  { kind, csvData, product_ids: named, update_names }: DryRun,
  tools: WorkTools,
): Promise<{ preview: ImportPreview; errors: ListedRow[]; left_out: LeftOut[] }> {
  const source = markUnstorable(csvData);
  const { records: rows_total, dates, left_out } = await csv.checkCsv(kind, source);
  const product_ids = await requireProducts(db, named, kind === 'users' ? unknownProduct() : undefined);
  const upload: CheckedFile = {
    ...{ kind, source, product_ids, rows_total, detail: { dates, update_names } },
    ...{ cohort_id: null, starts_on: null, ends_on: null },
  };
  const throttle = createThrottle(tools);
  let found = NOTHING_FOUND;
  const errors: ListedRow[] = [];
  for await (const chunk of readChunks(db, upload, tools)) {
    if (tools.isStopping())
      throw new AppError('unavailable', 'The portal stops before the whole file was checked.');
    errors.push(...chunk.errors.slice(0, NAMED_ERRORS - errors.length));
    found = addChunk(found, chunk);
    await throttle();
  }
  const { preview } = await completePreview(db, upload, found);
  return { preview, errors, left_out };
}

export type DryRun = Pick<Upload, 'kind' | 'csvData' | 'product_ids'> & Partial<Pick<Upload, 'update_names'>>;
type CheckedFile = CheckedUpload & Pick<ImportJob, 'rows_total'> & { source: string };
type Checked = { counts: CheckCounts; errors: ListedRow[] };
type CheckedChunk = Checked & { records: csv.CsvRecord[] };

/**
 * Yields the rows of the file in chunks. Compares each chunk with the database, and adds the result. Changes nothing in
 * the database.
 */
async function* readChunks(
  db: Database,
  upload: CheckedFile,
  { now, dayOf }: Clock,
): AsyncGenerator<CheckedChunk> {
  const { kind, source, detail } = upload;
  const seen = new csv.SeenKeys(upload.rows_total);
  for await (const records of csv.takeChunks(csv.readCsv(kind, source, detail), csv.CHUNK_ROWS[db.engine]))
    yield { records, ...(await checkKind[kind](db, upload, records, { today: dayOf(now()), seen })) };
}

/** The result of a check so far. `first` has the first records, at most `ELSEWHERE_CODES`. */
type Found = { counts: CheckCounts; first: csv.CsvRecord[] };
const NOTHING_FOUND: Found = { counts: NO_COUNTS, first: [] };

function addChunk({ counts, first }: Found, chunk: CheckedChunk): Found {
  const more = chunk.records.slice(0, ELSEWHERE_CODES - first.length);
  return { counts: addCounts(counts, chunk.counts), first: more.length > 0 ? [...first, ...more] : first };
}

/**
 * Looks the first codes of the file up in other products. Returns the preview of the import, and the first rows as a
 * sample, with the lines on which they begin.
 */
async function completePreview(
  db: Database,
  { kind, product_ids: [product_id = ''] }: CheckedUpload,
  { counts, first }: Found,
): Promise<{ preview: ImportPreview; sample: ImportSample; sample_rows: number[] }> {
  // A longer text cannot be a code. Without this limit, 1,000 texts could be as long as the whole file.
  const isCode = (text: string) => text !== '' && text.length <= 2 * COUPON_CODE_MAX;
  const codes =
    kind === 'coupons' ? first.map(({ cells }) => canonicalKey(cells.coupon_code ?? '')).filter(isCode) : [];
  const elsewhere =
    codes.length === 0 ? [] : await stored.countElsewhere(db, product_id, [...new Set(codes)]);
  const sample = first.slice(0, SAMPLE_ROWS);
  return {
    preview: { ...counts, elsewhere },
    sample: sample.map(({ cells }) => cells),
    sample_rows: sample.map(({ row }) => row),
  };
}

function addCounts(one: CheckCounts, other: CheckCounts): CheckCounts {
  const names = Object.keys(NO_COUNTS) as (keyof CheckCounts)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as CheckCounts;
}

/**
 * Compares one chunk of records with the database. Returns the counts of the chunk and its invalid rows. `today` is
 * the date of the check. `seen` has the keys of the valid rows so far; the function adds the keys of the chunk.
 */
type CheckChunk = (
  db: Db,
  upload: CheckedUpload,
  records: readonly csv.CsvRecord[],
  tools: { today: string; seen: csv.SeenKeys },
) => Promise<Checked>;

const checkKind: Record<CsvKind, CheckChunk> = {
  products: async (db, _upload, records, { seen }) => {
    const parsed = csv.parseProducts(records);
    const known = await stored.listKnownProducts(db, parsed.rows);
    const { fresh, twice } = splitRepeated(parsed.rows, stored.keyOfProduct, seen);
    const duplicate = fresh.filter((row) => known.has(stored.keyOfProduct(row))).length;
    return report(parsed, { duplicate, in_file_twice: twice });
  },
  users: async (db, { product_ids, cohort_id, starts_on, ends_on, detail }, records, { today, seen }) => {
    const parsed = await judgeRows(db, csv.parseUsers(records));
    const given = parsed.rows.map((row) => row.email);
    const people = await stored.listKnownPeople(db, { emails: given, cohort_id });
    const full = cohort_id === null ? [] : await listFull(db, { cohort_id, ids: people.map(({ id }) => id) });
    const allowed = refusePeople(parsed, new Set(full.map(({ email }) => email)));
    const { fresh, twice } = splitRepeated(allowed.rows, (row) => row.email, seen);
    const emails = fresh.map((row) => row.email);
    const known = new Map(people.map((person) => [person.email, person]));
    const duplicate = emails.filter((email) => known.has(email)).length;
    const joined = cohort_id === null ? 0 : emails.filter((email) => !known.get(email)?.is_member).length;
    const days = { starts_on: starts_on ?? today, ends_on, today };
    const access_new = await stored.countNewGrants(db, { ...days, emails, product_ids });
    const without_name = fresh.filter(({ email, name }) => name === null && !known.has(email)).length;
    const isRenamed = ({ email, name }: csv.UserRow) => {
      const person = known.get(email);
      return name !== null && person !== undefined && person.name !== name && !person.is_team;
    };
    const renamed = detail.update_names ? fresh.filter(isRenamed).length : 0;
    const counts = { duplicate, in_file_twice: twice, access_new, joined, without_name, renamed };
    return report(allowed, counts);
  },
  coupons: async (db, { product_ids: [product_id = ''] }, records, { today, seen }) => {
    const product = await findCodeTarget(db, product_id);
    const shared = product?.shared_coupon ?? false;
    const parsed = csv.parseCoupons(records, { today, use_by_default: product?.use_by_default ?? null });
    const codes = parsed.rows.map((row) => row.coupon_code).filter((code) => code !== null);
    const generated = parsed.rows.length - codes.length;
    const known = await stored.listKnownCodes(db, { product_id, shared, codes });
    const caseTwins = await stored.listCaseTwins(db, { product_id, codes });
    const { fresh, twice } = splitRepeated(codes, (code) => code, seen);
    // Counts codes that differ only in case from a code of the product, or from an earlier code of the file. The keys
    // for this comparison begin with '\n', so that they never equal the key of a code in `seen`.
    const case_only = fresh.filter(
      (code) => !seen.add(`\n${code.toLowerCase()}`) || caseTwins.has(code),
    ).length;
    const was_void = fresh.filter((code) => known.get(code) === 'void').length;
    // A shared code may be uploaded several times (R-API-35).
    const [given, in_file_twice] = shared ? [codes, 0] : [fresh, twice];
    const duplicate = given.filter((code) => known.get(code) === 'taken').length;
    return report(parsed, { duplicate, in_file_twice, was_void, generated, case_only });
  },
};

/** Returns the rows whose key did not occur earlier in the file, and the number of the other rows. */
function splitRepeated<T>(rows: readonly T[], keyOf: (row: T) => string, seen: csv.SeenKeys) {
  const fresh = rows.filter((row) => seen.add(keyOf(row)));
  return { fresh, twice: rows.length - fresh.length };
}

function report(
  { rows, errors }: csv.Parsed<unknown>,
  counts: Partial<CheckCounts> & Pick<CheckCounts, 'duplicate' | 'in_file_twice'>,
): Checked {
  const { length: invalid } = errors;
  const fresh = rows.length - counts.duplicate - counts.in_file_twice;
  return { errors, counts: { ...NO_COUNTS, ...counts, total: rows.length + invalid, new: fresh, invalid } };
}
