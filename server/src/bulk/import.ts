// Imports the rows of a CSV file of any kind in chunks. The rows of a chunk and the counts of the import are stored in
// one transaction, so that an interrupted import continues after the rows that are done.

import type { CsvKind } from '@portal/contract';
import type { Database, Db } from '../db/database.ts';
import { grantAccess } from '../features/access/access.sql.ts';
import { createCoupons } from '../features/codes/batches.sql.ts';
import { makeCouponCode, type RandomBytes } from '../features/codes/codes.ts';
import { joinCohort, listFull, lockPeople, lockPeopleById } from '../features/cohorts/cohorts.sql.ts';
import { FULL } from '../features/cohorts/members.ts';
import type { Importer } from '../features/log/audit.sql.ts';
import { notifyPeople } from '../features/people/mails.ts';
import { createUsers } from '../features/people/people.sql.ts';
import { judgeRows } from '../features/people/people.ts';
import { createProducts, findCodeTarget } from '../features/products/products.sql.ts';
import { enqueueJob } from '../jobs/jobs.sql.ts';
import type { BulkJob, ImportDetail, ImportJob, Step } from './bulk-jobs.sql.ts';
import {
  createImportErrors,
  createImportRows,
  type InvalidRow,
  keyOfProduct,
  type ListedRow,
  listKnownPeople,
  listKnownProducts,
} from './import-rows.sql.ts';
import {
  CHUNK_ROWS,
  type CsvRecord,
  columnsOf,
  type Parsed,
  parseCoupons,
  parseProducts,
  parseUsers,
  readCsv,
  takeChunks,
  type UserRow,
} from './read-file.ts';
import type { ImportTools } from './run-bulk.ts';

/** Work on the next rows of a file, which begin after `from` rows. */
export type Chunk = { from: number; run: (tx: Db, job: BulkJob<ImportDetail>) => Promise<Step> };

/** Yields the work on the rows that were not imported before, and then on the end of the import. */
export async function* importChunks(
  db: Database,
  job: ImportJob & { source: string },
  tools: ImportTools,
): AsyncGenerator<Chunk> {
  let position = 0;
  for await (const chunk of takeChunks(readCsv(job.kind, job.source, job.detail), CHUNK_ROWS[db.engine])) {
    // Skips the records that were imported before the job was interrupted.
    const records = chunk.slice(Math.max(job.rows_done - position, 0));
    const from = position + chunk.length - records.length;
    position += chunk.length;
    if (records.length > 0)
      yield { from, run: (tx, { detail }) => importChunk(tx, { ...job, detail }, { from, records }, tools) };
  }
  const run = async (tx: Db): Promise<Step> => {
    if (position > ANALYSED_ROWS) await enqueueAnalysis(tx, tools.now());
    return { changed: 0, ends: 'done', detail: {} };
  };
  yield { from: position, run };
}

/**
 * The statistics of the query planner are updated after an import of more rows, and once while it runs: it may have
 * filled an empty table, and without new statistics, plans for the empty table stay in use.
 */
const ANALYSED_ROWS = 10_000;

// A job of its own: `analyze` takes seconds, and a member of the team waits for the call that runs the import.
async function enqueueAnalysis(tx: Db, now: Date): Promise<void> {
  await enqueueJob(tx, { kind: 'analyse-tables', key: '' }, now);
}

/** Imports the records. An invalid row throws nothing. */
async function importChunk(
  tx: Db,
  job: ImportJob,
  { from, records }: { from: number; records: CsvRecord[] },
  { randomBytes, now, dayOf }: ImportTools,
): Promise<Step> {
  const at = now();
  const tools = { randomBytes, now: at, today: dayOf(at) };
  const chunk = await importKind[job.kind](tx, job, records, tools);
  const { errors, duplicateRows, generatedRows = [], lengthened = 0, ...counts } = chunk;
  const duplicates = records.length - errors.length - counts.changed;
  if (errors.length > 0) await createImportErrors(tx, job.id, errors);
  // The rows are listed as they were before the chunk. Somebody else may have added one of them since.
  await createImportRows(tx, job.id, 'duplicate', duplicateRows.slice(0, duplicates));
  await createImportRows(tx, job.id, 'generated', generatedRows);
  const end = from + records.length;
  if (from <= ANALYSED_ROWS && end > ANALYSED_ROWS) await enqueueAnalysis(tx, at);
  const detail = lengthened > 0 ? { lengthened: (job.detail.lengthened ?? 0) + lengthened } : {};
  return { ...counts, looked: records.length, failures: errors.length, duplicates, detail, ends: null };
}

/** `now` is the time at which the chunk is imported, `today` its date in the portal's time zone. */
type RowTools = { randomBytes: RandomBytes; now: Date; today: string };

/**
 * What was done with the rows of a chunk, and the rows that were invalid, were skipped as duplicates, or got a generated
 * code. `lengthened` is the number of grants that existed and became longer (R-IMP-13).
 */
type Imported = Omit<Step, 'detail' | 'ends' | 'looked' | 'failures' | 'duplicates'> & {
  lengthened?: number;
  errors: ListedRow[];
  duplicateRows: ListedRow[];
  generatedRows?: ListedRow[];
};

type ImportChunk = (
  tx: Db,
  job: ImportJob,
  records: readonly CsvRecord[],
  tools: RowTools,
) => Promise<Imported>;

const importKind: Record<CsvKind, ImportChunk> = {
  products: async (tx, job, records) => {
    const { rows, records: valid, errors } = parseProducts(records);
    const known = await listKnownProducts(tx, rows);
    const duplicateRows = listRepeated('products', { keys: rows.map(keyOfProduct), known, valid });
    const changed = await createProducts(tx, rows, importerOf(job));
    return { changed, errors, duplicateRows };
  },
  users: async (tx, job, records, { now, today }) => {
    const parsed = await judgeRows(tx, parseUsers(records));
    const by = importerOf(job);
    const { cohort_id } = job;
    const days = { starts_on: job.starts_on ?? today, ends_on: job.ends_on, today };
    const people = await listKnownPeople(tx, {
      emails: parsed.rows.map((row) => row.email),
      cohort_id: null,
    });
    // Before their grants are locked. Another act that changes several grants of a person locks the person first too.
    if (cohort_id === null)
      await lockPeopleById(
        tx,
        people.map(({ id }) => id),
      );
    const changed = await createUsers(tx, parsed.rows, by);
    await notifyOf(tx, job, parsed.rows, { starts_on: days.starts_on, now, today });
    const joins = await joinPeople(tx, { ...by, cohort_id, emails: parsed.rows.map((row) => row.email) });
    const { valid, rows, errors } = refusePeople(parsed, joins.refused);
    const emails = rows.map((row) => row.email);
    const known = new Set(people.map(({ email }) => email));
    const duplicateRows = listRepeated('users', { keys: emails, known, valid });
    const payers = rows.filter((row) => row.payment_id !== null).map((row) => row.email);
    const all = await grantAccess(tx, { ...by, ...days, emails: payers, product_ids: [null] });
    const some = await grantAccess(tx, { ...by, ...days, emails, product_ids: job.product_ids });
    const { joined, already } = joins;
    const lengthened = all.lengthened + some.lengthened;
    return { changed, product_access: some.count, joined, already, lengthened, errors, duplicateRows };
  },
  coupons: async (tx, { product_ids: [product_id = ''], batch_id }, records, { today, randomBytes }) => {
    const product = await findCodeTarget(tx, product_id);
    const parsed = parseCoupons(records, { today, use_by_default: product?.use_by_default ?? null });
    const target = { product_id, batch_id: batch_id ?? '', shared: product?.shared_coupon ?? false };
    const rows = parsed.rows.map((row, at) => ({
      code: row.coupon_code,
      use_by: row.use_by ?? 'infinity',
      record: parsed.records[at] as CsvRecord,
    }));
    const given = rows.filter(({ code }) => code !== null);
    const codes = given.map(({ code }) => code ?? '');
    const use_by = given.map((row) => row.use_by);
    const skipped = await createCoupons(tx, { ...target, codes, use_by });
    const duplicateRows = skipped.map((at) =>
      toListed('coupons', (given[at] as (typeof rows)[number]).record),
    );
    const blank = rows.filter(({ code }) => code === null);
    const generatedRows = await createGeneratedCoupons(tx, target, blank, randomBytes);
    const generated = blank.length;
    const changed = codes.length - skipped.length + generated;
    return { changed, generated, errors: parsed.errors, duplicateRows, generatedRows };
  },
};

const DUPLICATE: Record<CsvKind, string> = {
  products: 'This product exists already or stands earlier in the file',
  users: 'This person exists already or stands earlier in the file',
  coupons: 'This code exists already or stands earlier in the file',
};

const toListed = (kind: CsvKind, { row, cells }: CsvRecord): ListedRow => ({
  row,
  message: DUPLICATE[kind],
  cells: columnsOf(kind).map((column) => cells[column] ?? ''),
});

/** Returns the valid rows whose key is known, or is the key of an earlier row. */
function listRepeated(
  kind: CsvKind,
  {
    keys,
    known,
    valid,
  }: { keys: readonly string[]; known: ReadonlySet<string>; valid: readonly CsvRecord[] },
): ListedRow[] {
  const seen = new Set(known);
  return valid.flatMap((record, at) => {
    const key = keys[at] ?? '';
    if (seen.has(key)) return toListed(kind, record);
    seen.add(key);
    return [];
  });
}

/** Lets the portal tell the people of the rows what they are about to get, if staff want that. */
async function notifyOf(
  tx: Db,
  { id: import_id, created_by: actor, detail, product_ids, cohort_id }: ImportJob,
  rows: readonly { email: string; payment_id: string | null }[],
  { now, ...days }: { starts_on: string; today: string; now: Date },
): Promise<void> {
  if (detail.tell === undefined) return;
  const notice = { actor, language: detail.tell, import_id, now };
  const payers = rows.filter(({ payment_id }) => payment_id !== null);
  const emailsOf = (some: typeof rows) => some.map(({ email }) => email);
  await notifyPeople(tx, { ...days, emails: emailsOf(payers), product_ids: [null], cohort_ids: [] }, notice);
  const cohort_ids = cohort_id === null ? [] : [cohort_id];
  const others = rows.filter((row) => !payers.includes(row));
  await notifyPeople(tx, { ...days, emails: emailsOf(others), product_ids, cohort_ids }, notice);
}

function importerOf({ created_by, id }: ImportJob): Importer {
  return { actor: created_by, import_id: id };
}

/**
 * Adds a generated code for each of the rows, and returns the rows with their codes. A generated code that the product
 * already has is not added; another one is generated instead. So a generated code never counts as a duplicate.
 */
async function createGeneratedCoupons(
  tx: Db,
  target: { product_id: string; batch_id: string; shared: boolean },
  rows: readonly { record: CsvRecord; use_by: string }[],
  randomBytes: RandomBytes,
): Promise<ListedRow[]> {
  const listed: ListedRow[] = [];
  for (let missing = rows; missing.length > 0; ) {
    const codes = missing.map(() => makeCouponCode(randomBytes));
    const use_by = missing.map((row) => row.use_by);
    const skipped = new Set(await createCoupons(tx, { ...target, codes, use_by, generated: true }));
    missing.forEach(({ record: { row, cells } }, at) => {
      if (!skipped.has(at)) listed.push({ row, message: '', cells: [codes[at] ?? '', cells.use_by ?? ''] });
    });
    missing = missing.filter((_row, at) => skipped.has(at));
  }
  return listed;
}

/**
 * Counts of rows. `already` also counts a second row of the same person. `refused` contains the addresses of those who
 * cannot join, because they are in the most cohorts already.
 */
export type Joined = { joined: number; already: number; refused: ReadonlySet<string> };

/**
 * Lets the people of the rows join the cohort (R-COHORT-14). They must exist. Without a cohort, does nothing. Must be called before
 * other rows of the people are changed in this transaction: other acts of staff lock the people first too, so they
 * cannot deadlock.
 */
async function joinPeople(
  tx: Db,
  { cohort_id, emails, ...by }: Importer & { cohort_id: string | null; emails: readonly string[] },
): Promise<Joined> {
  if (cohort_id === null) return { joined: 0, already: 0, refused: new Set() };
  const people = await lockPeople(tx, emails);
  const full = await listFull(tx, { cohort_id, ids: people });
  const isFull = new Set(full.map(({ id }) => id));
  const ids = people.filter((id) => !isFull.has(id));
  const joined = await joinCohort(tx, { cohort_id, ids, ...by });
  const refused = new Set(full.map(({ email }) => email));
  return { joined, already: emails.filter((email) => !refused.has(email)).length - joined, refused };
}

/** Splits off the rows of the people who cannot join: they are invalid. */
export function refusePeople(
  { rows, records, errors }: Parsed<UserRow>,
  refused: ReadonlySet<string>,
): { rows: UserRow[]; valid: CsvRecord[]; errors: InvalidRow[] } {
  const isRefused = (at: number) => refused.has(rows[at]?.email ?? '');
  const columns = columnsOf('users');
  return {
    rows: rows.filter((_row, at) => !isRefused(at)),
    valid: records.filter((_record, at) => !isRefused(at)),
    errors: [
      ...errors,
      ...records
        .filter((_record, at) => isRefused(at))
        .map(({ row, cells }) => ({
          row,
          message: FULL,
          cells: columns.map((column) => cells[column] ?? ''),
        })),
    ],
  };
}

/** Returns the addresses of those people who cannot join the cohort. Without a cohort, there are none. */
export async function findRefused(
  db: Db,
  cohort_id: string | null,
  people: readonly { id: string }[],
): Promise<Set<string>> {
  if (cohort_id === null) return new Set();
  const full = await listFull(db, { cohort_id, ids: people.map(({ id }) => id) });
  return new Set(full.map(({ email }) => email));
}
