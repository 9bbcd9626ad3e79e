// Imports one batch of rows of a CSV file of any kind. The rows and the import's counts are stored in one transaction.
import { COUPON_CODE_MAX, type CsvKind, dayField, email, line, newProduct, orNull } from '@portal/contract';
import * as z from 'zod/mini';
import type { Db } from '../db/database.ts';
import { grantAccess } from '../stores/access.ts';
import type { Importer } from '../stores/audit.ts';
import type { ImportJob, InvalidRow, Tally } from '../stores/imports.ts';
import { createCoupons } from '../stores/new-coupons.ts';
import { createProducts, findCodeTarget } from '../stores/products.ts';
import { createUsers } from '../stores/users.ts';
import { makeCouponCode, type RandomBytes } from './coupon-code.ts';
import { type Joined, joinPeople, listRefused } from './import-members.ts';
import { type CsvRecord, columnsOf } from './read-csv.ts';

export type BatchResult = Tally & { errors: InvalidRow[] };

/** `today`: the date on which the batch is imported, in the portal's time zone. */
export type RowTools = { randomBytes: RandomBytes; today: string };

/** Imports one batch of records. Returns the counts and the invalid rows. An invalid row throws nothing. */
export function importRows(
  tx: Db,
  job: ImportJob,
  records: readonly CsvRecord[],
  tools: RowTools,
): Promise<BatchResult> {
  return importKind[job.kind](tx, job, records, tools);
}

// `refused` contains the addresses of the people who cannot join the cohort of the upload.
type Counts = Pick<Tally, 'success' | 'duplicates' | 'productAccess' | 'generated'> & Partial<Joined>;

/**
 * Returns the import function of one kind of file. `readSchema` returns the schema that parses the rows. `addRows`
 * stores the valid rows.
 */
function rowsOf<T extends z.ZodMiniType>(
  readSchema: (tx: Db, job: ImportJob, today: string) => Promise<T>,
  addRows: (tx: Db, job: ImportJob, rows: z.output<T>[], tools: RowTools) => Promise<Counts>,
): typeof importRows {
  return async (tx, job, records, tools) => {
    const columns = columnsOf(job.kind);
    const { rows, errors } = readRows(await readSchema(tx, job, tools.today), columns, records);
    const { refused, joined = 0, already = 0, ...counts } = await addRows(tx, job, rows, tools);
    if (refused?.size) {
      const invalid = new Set(errors.map(({ row }) => row));
      errors.push(
        ...listRefused(
          records.filter(({ row }) => !invalid.has(row)),
          refused,
          columns,
        ),
      );
    }
    return { ...counts, joined, already, errors, rows: records.length, failures: errors.length };
  };
}

const productRow = z.extend(newProduct, {
  // the texts true, yes, 1 and y mean true, in upper or lower case. Every other text means false.
  shared_coupon: z.pipe(
    z.transform((value: unknown) => /^(true|yes|1|y)$/i.test(String(value ?? ''))),
    z.boolean(),
  ),
});
const userRow = z.object({
  email,
  name: line('name', 200),
  phone_number: orNull(line('phone_number', 50)),
  payment_id: orNull(line('payment_id', 255)),
});
/** Message for a row whose last day is invalid, or is not after today (R-LIFE-20). */
export const USE_BY_FAULT = 'use_by must be a day after today such as 2026-12-31';

// A row without a last day gets the default last day that the product has during the import, if there is one.
const couponRow = (today: string, use_by_default: string | null) => {
  const isAfterToday = (day: string | null) =>
    day === null || (day > today && (day === use_by_default || dayField('use_by').safeParse(day).success));
  return z.object({
    coupon_code: orNull(line('coupon_code', COUPON_CODE_MAX)),
    use_by: z.pipe(
      z.transform((cell: unknown) => String(cell ?? '').trim() || use_by_default),
      z.nullable(z.string()).check(z.refine(isAfterToday, USE_BY_FAULT)),
    ),
  });
};

const importKind: Record<CsvKind, typeof importRows> = {
  products: rowsOf(
    async () => productRow,
    async (tx, job, rows) => {
      const success = await createProducts(tx, rows, importerOf(job));
      return { success, duplicates: rows.length - success, productAccess: 0, generated: 0 };
    },
  ),
  users: rowsOf(
    async () => userRow,
    async (tx, job, given, { today }) => {
      const by = importerOf(job);
      const days = { starts_on: job.starts_on ?? today, ends_on: job.ends_on, today };
      const success = await createUsers(tx, given, by);
      const { cohort_id } = job;
      const joins = await joinPeople(tx, { ...by, cohort_id, emails: given.map(({ email }) => email) });
      const rows = given.filter(({ email }) => !joins.refused.has(email));
      const emails = rows.map((row) => row.email);
      const payers = rows.filter((row) => row.payment_id !== null).map((row) => row.email);
      await grantAccess(tx, { ...by, ...days, emails: payers, product_ids: [null] });
      const { count: productAccess } = await grantAccess(tx, {
        ...by,
        ...days,
        emails,
        product_ids: job.product_ids,
      });
      return { success, duplicates: rows.length - success, productAccess, generated: 0, ...joins };
    },
  ),
  coupons: rowsOf(
    async (tx, { product_ids: [product_id = ''] }, today) =>
      couponRow(today, (await findCodeTarget(tx, product_id))?.use_by_default ?? null),
    async (tx, { product_ids: [product_id = ''], batch_id }, rows, { randomBytes }) => {
      const product = await findCodeTarget(tx, product_id);
      const target = { product_id, batch_id: batch_id ?? '', shared: product?.shared_coupon ?? false };
      const lastDays = (some: typeof rows) => some.map((row) => row.use_by ?? 'infinity');
      const given = rows.filter((row) => row.coupon_code !== null);
      const codes = given.map((row) => row.coupon_code ?? '');
      const success = await createCoupons(tx, { ...target, codes, use_by: lastDays(given) });
      const blank = rows.filter((row) => row.coupon_code === null);
      await createGeneratedCoupons(tx, target, lastDays(blank), randomBytes);
      const generated = blank.length;
      const duplicates = codes.length - success;
      return { success: success + generated, duplicates, productAccess: 0, generated };
    },
  ),
};

function importerOf({ created_by, id }: ImportJob): Importer {
  return { actor: created_by, import_id: id };
}

// A generated code that the product already has is not added; another one is generated instead. So a generated code
// never counts as a duplicate.
async function createGeneratedCoupons(
  tx: Db,
  target: { product_id: string; batch_id: string; shared: boolean },
  lastDays: readonly string[],
  randomBytes: RandomBytes,
): Promise<void> {
  for (const use_by of new Set(lastDays)) {
    for (let missing = lastDays.filter((day) => day === use_by).length; missing > 0; ) {
      const codes = Array.from({ length: missing }, () => makeCouponCode(randomBytes));
      missing -= await createCoupons(tx, { ...target, codes, use_by: codes.map(() => use_by) });
    }
  }
}

function readRows<T extends z.ZodMiniType>(
  schema: T,
  columns: readonly string[],
  records: readonly CsvRecord[],
): { rows: z.output<T>[]; errors: InvalidRow[] } {
  const rows: z.output<T>[] = [];
  const errors: InvalidRow[] = [];
  for (const { row, cells } of records) {
    const parsed = schema.safeParse(cells);
    if (parsed.success) {
      rows.push(parsed.data);
      continue;
    }
    const message = describeIssue(parsed.error.issues, cells);
    errors.push({ row, message, cells: columns.map((column) => cells[column] ?? '') });
  }
  return { rows, errors };
}

// An empty cell gets the message '… is missing'. The schema's own message was written for a field of a form, not for a
// column of a file. An empty use_by is not missing: it means the product's default last day, which may be wrong.
function describeIssue(
  issues: readonly { path: PropertyKey[]; message: string }[],
  cells: Record<string, string>,
): string {
  const [issue] = issues;
  const column = String(issue?.path[0] ?? '');
  return cells[column] === '' && column !== 'use_by'
    ? `${column} is missing`
    : (issue?.message ?? 'This row cannot be read');
}
