// Finds out what an import would do with one batch of rows. Reads the database and writes nothing. The rows are parsed
// by the same rules as in the import.
import type { CsvKind, ImportPreview } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { judgeRows } from '../features/people/judge-addresses.ts';
import { findCodeTarget } from '../features/products/products.sql.ts';
import {
  countNewGrants,
  keyOfProduct,
  listCaseTwins,
  listKnownCodes,
  listKnownPeople,
  listKnownProducts,
} from './file-lookups.sql.ts';
import { findRefused, refusePeople } from './import-members.ts';
import type { InvalidRow } from './import-rows.sql.ts';
import type { ImportJob } from './imports.sql.ts';
import { type Parsed, parseCoupons, parseProducts, parseUsers } from './parse-rows.ts';
import type { CsvRecord } from './read-csv.ts';
import type { SeenKeys } from './seen-keys.ts';

/** What the check of a row needs to know of the upload. */
export type CheckedUpload = Pick<ImportJob, 'kind' | 'product_ids' | 'cohort_id' | 'starts_on' | 'ends_on'>;
export type CheckCounts = Omit<ImportPreview, 'elsewhere'>;

export const NO_COUNTS: CheckCounts = {
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
};

/** `today`: the date of the check. `seen`: the keys of the valid rows so far; this function adds those of the batch. */
export type CheckTools = { today: string; seen: SeenKeys };
type Checked = { counts: CheckCounts; errors: InvalidRow[] };

/** Checks one batch of records. Returns the counts of the batch and its invalid rows. */
export function checkRows(
  db: Db,
  job: CheckedUpload,
  records: readonly CsvRecord[],
  tools: CheckTools,
): Promise<Checked> {
  return checkKind[job.kind](db, job, records, tools);
}

type CheckBatch = (
  db: Db,
  job: CheckedUpload,
  records: readonly CsvRecord[],
  tools: CheckTools,
) => Promise<Checked>;

const checkKind: Record<CsvKind, CheckBatch> = {
  products: async (db, _job, records, { seen }) => {
    const parsed = parseProducts(records);
    const known = await listKnownProducts(db, parsed.rows);
    const { fresh, twice } = splitRepeated(parsed.rows, keyOfProduct, seen);
    const duplicate = fresh.filter((row) => known.has(keyOfProduct(row))).length;
    return report(parsed, { duplicate, in_file_twice: twice });
  },
  users: async (db, { product_ids, cohort_id, starts_on, ends_on }, records, { today, seen }) => {
    const parsed = await judgeRows(db, parseUsers(records));
    const people = await listKnownPeople(db, { emails: parsed.rows.map((row) => row.email), cohort_id });
    const { rows, valid, errors } = refusePeople(parsed, await findRefused(db, cohort_id, people));
    const { fresh, twice } = splitRepeated(rows, (row) => row.email, seen);
    const emails = fresh.map((row) => row.email);
    const known = new Map(people.map((person) => [person.email, person]));
    const duplicate = emails.filter((email) => known.has(email)).length;
    const joined = cohort_id === null ? 0 : emails.filter((email) => !known.get(email)?.is_member).length;
    const days = { starts_on: starts_on ?? today, ends_on, today };
    const access_new = await countNewGrants(db, { ...days, emails, product_ids });
    const counts = { duplicate, in_file_twice: twice, access_new, joined };
    return report({ rows, records: valid, errors }, counts);
  },
  coupons: async (db, { product_ids: [product_id = ''] }, records, { today, seen }) => {
    const product = await findCodeTarget(db, product_id);
    const shared = product?.shared_coupon ?? false;
    const parsed = parseCoupons(records, { today, use_by_default: product?.use_by_default ?? null });
    const codes = parsed.rows.map((row) => row.coupon_code).filter((code) => code !== null);
    const generated = parsed.rows.length - codes.length;
    const known = await listKnownCodes(db, { product_id, shared, codes });
    const caseTwins = await listCaseTwins(db, { product_id, codes });
    const { fresh, twice } = splitRepeated(codes, (code) => code, seen);
    // Codes of the file are compared in lower case too. The prefix keeps these keys apart from the codes themselves.
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

/** Returns the rows whose key is new in the file, and the number of the other rows. */
function splitRepeated<T>(rows: readonly T[], keyOf: (row: T) => string, seen: SeenKeys) {
  const fresh = rows.filter((row) => seen.add(keyOf(row)));
  return { fresh, twice: rows.length - fresh.length };
}

function report(
  { rows, errors }: Parsed<unknown>,
  counts: Partial<CheckCounts> & Pick<CheckCounts, 'duplicate' | 'in_file_twice'>,
): Checked {
  const { length: invalid } = errors;
  const fresh = rows.length - counts.duplicate - counts.in_file_twice;
  return { errors, counts: { ...NO_COUNTS, ...counts, total: rows.length + invalid, new: fresh, invalid } };
}
