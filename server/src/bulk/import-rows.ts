// Imports one batch of rows of a CSV file of any kind. The rows and the import's counts are stored in one transaction.
import type { CsvKind } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { grantAccess } from '../features/access/access.sql.ts';
import { makeCouponCode, type RandomBytes } from '../features/codes/coupon-code.ts';
import { createCoupons } from '../features/codes/new-coupons.sql.ts';
import { lockPeopleById } from '../features/cohorts/cohort-members.sql.ts';
import type { Importer } from '../features/log/audit.sql.ts';
import { judgeRows } from '../features/people/judge-addresses.ts';
import { tellPeople } from '../features/people/ready-mail.ts';
import { createUsers } from '../features/people/users.sql.ts';
import { createProducts, findCodeTarget } from '../features/products/products.sql.ts';
import { keyOfProduct, listKnownPeople, listKnownProducts } from './file-lookups.sql.ts';
import { joinPeople, refusePeople } from './import-members.ts';
import type { ListedRow } from './import-rows.sql.ts';
import { type ImportJob, NO_TALLY, type Tally } from './imports.sql.ts';
import { parseCoupons, parseProducts, parseUsers } from './parse-rows.ts';
import { type CsvRecord, columnsOf } from './read-csv.ts';

/** The counts of a batch, and the rows that were invalid, were skipped as duplicates, or got a generated code. */
export type BatchResult = Tally & Rows;

/** `now` is the time at which the batch is imported, `today` its date in the portal's time zone. */
export type RowTools = { randomBytes: RandomBytes; now: Date; today: string };

type Rows = { errors: ListedRow[]; duplicateRows: ListedRow[]; generatedRows: ListedRow[] };
type Batch = Partial<Tally> & Pick<Tally, 'success'> & Partial<Rows> & Pick<Rows, 'errors' | 'duplicateRows'>;

/** Imports one batch of records. Returns the counts and the rows that need attention. An invalid row throws nothing. */
export async function importRows(
  tx: Db,
  job: ImportJob,
  records: readonly CsvRecord[],
  tools: RowTools,
): Promise<BatchResult> {
  const batch = await importKind[job.kind](tx, job, records, tools);
  const { errors, duplicateRows } = batch;
  return {
    ...NO_TALLY,
    generatedRows: [],
    ...batch,
    rows: records.length,
    failures: errors.length,
    duplicates: records.length - errors.length - batch.success,
    // The rows are listed as they were before the batch. Somebody else may have added one of them since.
    duplicateRows: duplicateRows.slice(0, records.length - errors.length - batch.success),
  };
}

type ImportBatch = (tx: Db, job: ImportJob, records: readonly CsvRecord[], tools: RowTools) => Promise<Batch>;

const importKind: Record<CsvKind, ImportBatch> = {
  products: async (tx, job, records) => {
    const { rows, records: valid, errors } = parseProducts(records);
    const known = await listKnownProducts(tx, rows);
    const duplicateRows = listRepeated('products', { keys: rows.map(keyOfProduct), known, valid });
    const success = await createProducts(tx, rows, importerOf(job));
    return { success, errors, duplicateRows };
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
    const success = await createUsers(tx, parsed.rows, by);
    await tellOf(tx, job, parsed.rows, { starts_on: days.starts_on, now, today });
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
    return { success, productAccess: some.count, joined, already, lengthened, errors, duplicateRows };
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
    const success = codes.length - skipped.length + generated;
    return { success, generated, errors: parsed.errors, duplicateRows, generatedRows };
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
async function tellOf(
  tx: Db,
  { id: import_id, created_by: actor, detail, product_ids, cohort_id }: ImportJob,
  rows: readonly { email: string; payment_id: string | null }[],
  { now, ...days }: { starts_on: string; today: string; now: Date },
): Promise<void> {
  if (detail.tell === undefined) return;
  const telling = { actor, language: detail.tell, import_id, now };
  const payers = rows.filter(({ payment_id }) => payment_id !== null);
  const emailsOf = (some: typeof rows) => some.map(({ email }) => email);
  await tellPeople(tx, { ...days, emails: emailsOf(payers), product_ids: [null], cohort_ids: [] }, telling);
  const cohort_ids = cohort_id === null ? [] : [cohort_id];
  const others = rows.filter((row) => !payers.includes(row));
  await tellPeople(tx, { ...days, emails: emailsOf(others), product_ids, cohort_ids }, telling);
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
