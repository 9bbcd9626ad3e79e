// Imports one batch of rows of a CSV file of any kind. The caller's transaction stores the rows and their counts
// together.
import { COUPON_CODE_MAX, type CsvKind, email, line, newProduct, orNull } from '@portal/contract';
import * as z from 'zod/mini';
import type { Db } from '../db/database.ts';
import { grantAll, grantProductsTo } from '../stores/access.ts';
import type { Importer } from '../stores/audit.ts';
import { createCoupons } from '../stores/coupons.ts';
import type { ImportJob, InvalidRow, Tally } from '../stores/imports.ts';
import { createProducts, findProduct } from '../stores/products.ts';
import { createUsers } from '../stores/users.ts';
import { makeCouponCode, type RandomBytes } from './coupon-code.ts';
import { type CsvRecord, columnsOf } from './read-csv.ts';

export type BatchResult = Tally & { errors: InvalidRow[] };

/**
 * Imports one batch of records. Returns the counts and the invalid rows. An invalid row is returned and does not throw.
 */
export function importRows(
  tx: Db,
  job: ImportJob,
  records: readonly CsvRecord[],
  randomBytes: RandomBytes,
): Promise<BatchResult> {
  return importKind[job.kind](tx, job, records, randomBytes);
}

type Counts = Pick<Tally, 'success' | 'duplicates' | 'productAccess' | 'generated'>;

/**
 * Returns the import function for one kind of CSV file. `schema` validates the rows of a batch; `addRows` stores the
 * valid rows.
 */
function rowsOf<T extends z.ZodMiniType>(
  schema: T,
  addRows: (tx: Db, job: ImportJob, rows: z.output<T>[], randomBytes: RandomBytes) => Promise<Counts>,
): typeof importRows {
  return async (tx, job, records, randomBytes) => {
    const { rows, errors } = readRows(schema, columnsOf(job.kind), records);
    const counts = await addRows(tx, job, rows, randomBytes);
    return { ...counts, errors, rows: records.length, failures: errors.length };
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
const couponRow = z.object({ coupon_code: orNull(line('coupon_code', COUPON_CODE_MAX)) });

const importKind: Record<CsvKind, typeof importRows> = {
  products: rowsOf(productRow, async (tx, job, rows) => {
    const success = await createProducts(tx, rows, importerOf(job));
    return { success, duplicates: rows.length - success, productAccess: 0, generated: 0 };
  }),
  users: rowsOf(userRow, async (tx, job, rows) => {
    const by = importerOf(job);
    const success = await createUsers(tx, rows, by);
    const emails = rows.map((row) => row.email);
    const payers = rows.filter((row) => row.payment_id !== null).map((row) => row.email);
    await grantAll(tx, { ...by, emails: payers });
    const productAccess = await grantProductsTo(tx, { ...by, emails, product_ids: job.product_ids });
    return { success, duplicates: rows.length - success, productAccess, generated: 0 };
  }),
  coupons: rowsOf(couponRow, async (tx, { product_ids: [product_id = ''], batch_id }, rows, randomBytes) => {
    const product = await findProduct(tx, product_id);
    const target = { product_id, batch_id: batch_id ?? '', shared: product?.shared_coupon ?? false };
    const codes = rows.flatMap((row) => row.coupon_code ?? []);
    const success = await createCoupons(tx, { ...target, codes });
    const generated = rows.length - codes.length;
    await createGeneratedCoupons(tx, target, generated, randomBytes);
    const duplicates = codes.length - success;
    return { success: success + generated, duplicates, productAccess: 0, generated };
  }),
};

function importerOf({ created_by, id }: ImportJob): Importer {
  return { actor: created_by, import_id: id };
}

// A generated code that the product already has is not added; another one is generated instead. So a generated code
// never counts as a duplicate.
async function createGeneratedCoupons(
  tx: Db,
  target: { product_id: string; batch_id: string; shared: boolean },
  count: number,
  randomBytes: RandomBytes,
): Promise<void> {
  for (let missing = count; missing > 0; ) {
    const codes = Array.from({ length: missing }, () => makeCouponCode(randomBytes));
    missing -= await createCoupons(tx, { ...target, codes });
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

// An empty cell gets a message of its own, because the schema's message was written for a form, not for a column of a
// file.
function describeIssue(
  issues: readonly { path: PropertyKey[]; message: string }[],
  cells: Record<string, string>,
): string {
  const [issue] = issues;
  const column = String(issue?.path[0] ?? '');
  return cells[column] === '' ? `${column} is missing` : (issue?.message ?? 'This row cannot be read');
}
