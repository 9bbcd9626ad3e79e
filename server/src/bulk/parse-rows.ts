// Parses the records of a CSV file of any kind. The import and the check of a file share these rules.
import {
  COUPON_CODE_MAX,
  canonicalKey,
  dayField,
  email,
  keyLine,
  line,
  newProduct,
  orNull,
} from '@portal/contract';
import * as z from 'zod/mini';
import type { InvalidRow } from './import-rows.sql.ts';
import { type CsvRecord, columnsOf } from './read-csv.ts';

/** The valid rows, the record of each valid row in the same order, and the invalid rows. */
export type Parsed<T> = { rows: T[]; records: CsvRecord[]; errors: InvalidRow[] };

const productRow = z.extend(newProduct, {
  // the texts true, yes, 1 and y mean true, in upper or lower case. Every other text means false.
  shared_coupon: z.pipe(
    z.transform((value: unknown) => /^(true|yes|1|y)$/i.test(canonicalKey(String(value ?? '')))),
    z.boolean(),
  ),
});
const userRow = z.object({
  email,
  // The name is missing in a file without a column of names (N-37).
  name: z.pipe(
    z.transform((cell: unknown) => (cell as string | undefined) ?? null),
    z.nullable(line('name', 200)),
  ),
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
    coupon_code: orNull(keyLine('coupon_code', COUPON_CODE_MAX)),
    use_by: z.pipe(
      z.transform((cell: unknown) => canonicalKey(String(cell ?? '')) || use_by_default),
      z.nullable(z.string()).check(z.refine(isAfterToday, USE_BY_FAULT)),
    ),
  });
};

export type ProductRow = z.output<typeof productRow>;
export type UserRow = z.output<typeof userRow>;
export type CouponRow = z.output<ReturnType<typeof couponRow>>;

export const parseProducts = (records: readonly CsvRecord[]): Parsed<ProductRow> =>
  parse(productRow, columnsOf('products'), records);

export const parseUsers = (records: readonly CsvRecord[]): Parsed<UserRow> =>
  parse(userRow, columnsOf('users'), records);

/** `use_by_default` is the default last day of the product's codes, or null. */
export const parseCoupons = (
  records: readonly CsvRecord[],
  { today, use_by_default }: { today: string; use_by_default: string | null },
): Parsed<CouponRow> => parse(couponRow(today, use_by_default), columnsOf('coupons'), records);

function parse<T extends z.ZodMiniType>(
  schema: T,
  columns: readonly string[],
  records: readonly CsvRecord[],
): Parsed<z.output<T>> {
  const result: Parsed<z.output<T>> = { rows: [], records: [], errors: [] };
  for (const record of records) {
    const { row, cells, isStorable } = record;
    const parsed = schema.safeParse(cells);
    if (parsed.success && isStorable) {
      result.rows.push(parsed.data);
      result.records.push(record);
      continue;
    }
    const message = parsed.success
      ? 'This row contains a character that cannot be stored'
      : describeIssue(parsed.error.issues, cells);
    result.errors.push({ row, message, cells: columns.map((column) => cells[column] ?? '') });
  }
  return result;
}

// An empty cell gets the message '… is missing'. The schema's own message was written for a field of a form, not for a
// column of a file. An empty use_by is not missing: it means the product's default last day, which may be wrong.
function describeIssue(
  issues: readonly { path: PropertyKey[]; message: string }[],
  cells: Record<string, string>,
): string {
  const [issue] = issues;
  const column = String(issue?.path[0] ?? '');
  return canonicalKey(cells[column] ?? 'x') === '' && column !== 'use_by'
    ? `${column} is missing`
    : (issue?.message ?? 'This row cannot be read');
}
