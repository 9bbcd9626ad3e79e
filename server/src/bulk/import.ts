// Imports the rows of a CSV file in chunks. One transaction stores the rows of a chunk and the counts of the import,
// so that an interrupted import continues after the last stored chunk.

import type { CsvKind } from '@portal/contract';
import type { Database, Db } from '../db/database.ts';
import { grantAccess } from '../features/access/access.sql.ts';
import { createCoupons } from '../features/codes/batches.sql.ts';
import { makeCouponCode, type RandomBytes } from '../features/codes/codes.ts';
import { joinCohort, listFull, lockPeople, lockPeopleById } from '../features/cohorts/cohorts.sql.ts';
import { FULL } from '../features/cohorts/members.ts';
import type { Importer } from '../features/log/audit.sql.ts';
import { notifyPeople } from '../features/people/mails.ts';
import { createUsers, updateNames } from '../features/people/people.sql.ts';
import { judgeRows } from '../features/people/people.ts';
import { createProducts, findCodeTarget } from '../features/products/products.sql.ts';
import { enqueueJob } from '../jobs/jobs.sql.ts';
import type { BulkJob, ImportDetail, ImportJob, Step } from './bulk-jobs.sql.ts';
import type { ListedRow } from './import-rows.sql.ts';
import * as stored from './import-rows.sql.ts';
import * as csv from './read-file.ts';
import type { ImportTools } from './run-bulk.ts';

/** The next rows of a file. `from` is the number of rows before them. `run` imports or checks the rows. */
export type Chunk = { from: number; run: (tx: Db, job: BulkJob<ImportDetail>) => Promise<Step> };

/** Yields the work on the rows that are not imported yet, and then the work that ends the import. */
export async function* importChunks(
  db: Database,
  job: ImportJob & { source: string },
  tools: ImportTools,
): AsyncGenerator<Chunk> {
  let position = 0;
  const all = csv.readCsv(job.kind, job.source, job.detail);
  for await (const chunk of csv.takeChunks(all, csv.CHUNK_ROWS[db.engine])) {
    // Skips the records that were imported before the job was interrupted.
    const records = chunk.slice(Math.max(job.rows_done - position, 0));
    const from = position + chunk.length - records.length;
    position += chunk.length;
    if (records.length > 0)
      yield { from, run: (tx, { detail }) => importChunk(tx, { ...job, detail }, { from, records }, tools) };
  }
  const run = async (tx: Db): Promise<Step> => {
    if (position > ANALYSED_ROWS) await enqueueJob(tx, ANALYSIS, tools.now());
    return { changed: 0, ends: 'done', detail: {} };
  };
  yield { from: position, run };
}

/**
 * After this number of rows, a job updates the statistics of the query planner. The import may have filled an empty
 * table, and the planner would still use plans for an empty table. The same job runs at the end of an import with more
 * rows. The import does not update the statistics itself, because `analyze` takes seconds, and staff wait for the call
 * that runs the import.
 */
const ANALYSED_ROWS = 10_000;
const ANALYSIS = { kind: 'analyse-tables', key: '' } as const;

async function importChunk(
  tx: Db,
  job: ImportJob,
  { from, records }: { from: number; records: csv.CsvRecord[] },
  { randomBytes, now, dayOf }: ImportTools,
): Promise<Step> {
  const at = now();
  const tools = { randomBytes, now: at, today: dayOf(at) };
  const chunk = await importKind[job.kind](tx, job, records, tools);
  const { errors, duplicateRows, generatedRows = [], sums = {}, ...counts } = chunk;
  const duplicates = records.length - errors.length - counts.changed;
  if (errors.length > 0) await stored.createImportErrors(tx, job.id, errors);
  // Staff can change people and products between the search for duplicates and the insert. So `duplicateRows` may be
  // longer than the count of duplicates, but the stored list must not be longer than the count.
  await stored.createImportRows(tx, job.id, 'duplicate', duplicateRows.slice(0, duplicates));
  await stored.createImportRows(tx, job.id, 'generated', generatedRows);
  const end = from + records.length;
  if (from <= ANALYSED_ROWS && end > ANALYSED_ROWS) await enqueueJob(tx, ANALYSIS, at);
  const detail = Object.fromEntries(
    SUMS.flatMap((sum) => (sums[sum] ? [[sum, (job.detail[sum] ?? 0) + sums[sum]]] : [])),
  );
  return { ...counts, looked: records.length, failures: errors.length, duplicates, detail, ends: null };
}

/** Counts in `ImportDetail`. */
const SUMS = ['lengthened', 'without_name', 'renamed'] as const;

/**
 * The counts of a chunk, and its rows that were invalid, were skipped as duplicates, or got a generated code.
 * `sums` are counts that are added up in the detail of the job.
 */
type Imported = Omit<Step, 'detail' | 'ends' | 'looked' | 'failures' | 'duplicates'> & {
  sums?: Partial<Record<(typeof SUMS)[number], number>>;
  errors: ListedRow[];
  duplicateRows: ListedRow[];
  generatedRows?: ListedRow[];
};

type ImportChunk = (
  tx: Db,
  job: ImportJob,
  records: readonly csv.CsvRecord[],
  tools: { randomBytes: RandomBytes; now: Date; today: string },
) => Promise<Imported>;

const importKind: Record<CsvKind, ImportChunk> = {
  products: async (tx, job, records) => {
    const { rows, records: valid, errors } = csv.parseProducts(records);
    const known = await stored.listKnownProducts(tx, rows);
    const duplicateRows = listRepeated('products', valid, rows.map(stored.keyOfProduct), known);
    const changed = await createProducts(tx, rows, { actor: job.created_by, import_id: job.id });
    return { changed, errors, duplicateRows };
  },
  users: async (tx, job, records, { now, today }) => {
    const parsed = await judgeRows(tx, csv.parseUsers(records));
    const { cohort_id } = job;
    const by = { actor: job.created_by, import_id: job.id };
    const days = { starts_on: job.starts_on ?? today, ends_on: job.ends_on, today };
    const given = parsed.rows.map((row) => row.email);
    const people = await stored.listKnownPeople(tx, { emails: given, cohort_id: null });
    const ids = people.map(({ id }) => id);
    // Locks the people before their grants, because other actions on several grants of a person use the same order. The
    // next statement creates a new person for the address of somebody who was erased meanwhile.
    await lockPeopleById(tx, ids);
    const { created: changed, without_name } = await createUsers(tx, parsed.rows, by);
    await notifyOf(tx, job, parsed.rows, { starts_on: days.starts_on, now, today });
    const joins = await joinPeople(tx, { ...by, cohort_id, emails: given });
    const { rows, records: valid, errors } = refusePeople(parsed, joins.refused);
    const emails = rows.map((row) => row.email);
    const known = new Set(people.map(({ email }) => email));
    const duplicateRows = listRepeated('users', valid, emails, known);
    const named = rows.filter(({ email, name }) => name !== null && known.has(email));
    const renamed = job.detail.update_names ? await updateNames(tx, firstNames(named), by) : 0;
    const payers = rows.filter((row) => row.payment_id !== null).map((row) => row.email);
    const all = await grantAccess(tx, { ...by, ...days, emails: payers, product_ids: [null] });
    const some = await grantAccess(tx, { ...by, ...days, emails, product_ids: job.product_ids });
    const { joined, already } = joins;
    const sums = { lengthened: all.lengthened + some.lengthened, without_name, renamed };
    return { changed, product_access: some.count, joined, already, sums, errors, duplicateRows };
  },
  coupons: async (tx, { product_ids: [product_id = ''], batch_id }, records, { today, randomBytes }) => {
    const product = await findCodeTarget(tx, product_id);
    const parsed = csv.parseCoupons(records, { today, use_by_default: product?.use_by_default ?? null });
    const target = { product_id, batch_id: batch_id ?? '', shared: product?.shared_coupon ?? false };
    const rows = parsed.rows.map((row, at) => ({
      code: row.coupon_code,
      use_by: row.use_by ?? 'infinity',
      record: parsed.records[at] as csv.CsvRecord,
    }));
    const given = rows.filter(({ code }) => code !== null);
    const codes = given.map(({ code }) => code ?? '');
    const use_by = given.map((row) => row.use_by);
    const skipped = await createCoupons(tx, { ...target, codes, use_by });
    const duplicateRows = skipped.map((at) => listDuplicate('coupons', given[at]?.record as csv.CsvRecord));
    const blank = rows.filter(({ code }) => code === null);
    const generatedRows = await createGeneratedCoupons(tx, target, blank, randomBytes);
    const generated = blank.length;
    const changed = codes.length - skipped.length + generated;
    return { changed, generated, errors: parsed.errors, duplicateRows, generatedRows };
  },
};

/** Returns the name of each person in the first row of the person, as `createUsers` stores it. */
function firstNames(rows: readonly csv.UserRow[]): { email: string; name: string }[] {
  const names = new Map<string, string>();
  for (const { email, name } of rows) if (name !== null && !names.has(email)) names.set(email, name);
  return Array.from(names, ([email, name]) => ({ email, name }));
}

const DUPLICATE: Record<CsvKind, string> = {
  products: 'This product exists already or stands earlier in the file',
  users: 'This person exists already or stands earlier in the file',
  coupons: 'This code exists already or stands earlier in the file',
};

const listDuplicate = (kind: CsvKind, record: csv.CsvRecord) => csv.listRow(kind, record, DUPLICATE[kind]);

/** Returns the valid rows whose key is known, or is the key of an earlier row. `keys` has the key of each row. */
function listRepeated(
  kind: CsvKind,
  valid: readonly csv.CsvRecord[],
  keys: readonly string[],
  known: ReadonlySet<string>,
): ListedRow[] {
  const seen = new Set(known);
  return valid.flatMap((record, at) => {
    const key = keys[at] ?? '';
    if (seen.has(key)) return listDuplicate(kind, record);
    seen.add(key);
    return [];
  });
}

/** Enqueues mails to the people of the rows about their new benefits, if staff requested these mails. */
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

/**
 * Adds a generated code for each of the rows, and returns the rows with their codes. If the product already contains the code
 * that was generated for a row, another code is generated for this row.
 */
async function createGeneratedCoupons(
  tx: Db,
  target: { product_id: string; batch_id: string; shared: boolean },
  rows: readonly { record: csv.CsvRecord; use_by: string }[],
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
 * Adds the people with these addresses, who must exist, to the cohort (R-COHORT-14). Does nothing if `cohort_id` is
 * null. Locks the people. Call this function before the transaction changes other rows of these people. Other actions
 * of staff lock people first too, so two actions cannot deadlock. `joined` and `already` count rows of the file;
 * `already` also counts a second row of the same person. `refused` has the addresses of people who cannot join, because
 * they are in as many cohorts as a person may be.
 */
async function joinPeople(
  tx: Db,
  { cohort_id, emails, ...by }: Importer & { cohort_id: string | null; emails: readonly string[] },
): Promise<{ joined: number; already: number; refused: ReadonlySet<string> }> {
  if (cohort_id === null) return { joined: 0, already: 0, refused: new Set() };
  const people = await lockPeople(tx, emails);
  const full = await listFull(tx, { cohort_id, ids: people });
  const isFull = new Set(full.map(({ id }) => id));
  const ids = people.filter((id) => !isFull.has(id));
  const joined = await joinCohort(tx, { cohort_id, ids, ...by });
  const refused = new Set(full.map(({ email }) => email));
  return { joined, already: emails.filter((email) => !refused.has(email)).length - joined, refused };
}

/** Moves the rows of people who cannot join the cohort from the valid rows to the errors. */
export function refusePeople(
  { rows, records, errors }: csv.Parsed<csv.UserRow>,
  refused: ReadonlySet<string>,
): csv.Parsed<csv.UserRow> {
  const isRefused = (at: number) => refused.has(rows[at]?.email ?? '');
  return {
    rows: rows.filter((_row, at) => !isRefused(at)),
    records: records.filter((_record, at) => !isRefused(at)),
    errors: [
      ...errors,
      ...records.filter((_record, at) => isRefused(at)).map((record) => csv.listRow('users', record, FULL)),
    ],
  };
}
