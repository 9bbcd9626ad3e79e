// Tests two concurrent uploads of the same rows. The tests run on PostgreSQL only, because the embedded engine has one
// connection and cannot run two uploads at the same time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { addCohort } from '../../test/lifecycle.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createUploadTools } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { getMemberTotal, recountTally } from '../features/dashboard/tally.sql.ts';
import { importCsv, type Upload } from './uploads.ts';

// Number of rows of each upload: the size of one chunk, so that both uploads run the same statement at the same time.
const ROWS = 5_000;

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

/** Uploads the rows twice at the same time, once in reverse order. Returns the counts of both imports together. */
async function importBothWays(
  kind: Upload['kind'],
  header: string,
  { rows, product_ids }: { rows: string[]; product_ids: string[] },
) {
  const states = await Promise.all(
    [rows, rows.toReversed()].map((lines) =>
      importCsv(
        db,
        { kind, product_ids, csvData: [header, ...lines].join('\n'), actor: 'staff@example.org' },
        createUploadTools(db),
      ),
    ),
  );
  const sum = (count: 'success' | 'duplicates' | 'productAccess') =>
    states.reduce((total, { results }) => total + (results?.[count] ?? 0), 0);
  return {
    success: sum('success'),
    duplicates: sum('duplicates'),
    productAccess: sum('productAccess'),
  };
}

test('two uploads of the same addresses in opposite order both succeed, for new users and for existing ones', async () => {
  const rows = Array.from({ length: ROWS }, (_, index) => `person-${index}@example.org,Person,`);
  const [first, second] = [await addProduct(db), await addProduct(db)];
  const product_ids = [first.product_id];
  expect(await importBothWays('users', 'email,name,payment_id', { rows, product_ids })).toEqual({
    success: ROWS,
    duplicates: ROWS,
    productAccess: ROWS,
  });
  const payers = rows.map((row) => `${row}PAY-1`);
  expect(
    await importBothWays('users', 'email,name,payment_id', {
      rows: payers,
      product_ids: [second.product_id],
    }),
  ).toEqual({ success: 0, duplicates: 2 * ROWS, productAccess: ROWS });
});

test('R-COHORT-30: of two uploads of the same people into one cohort at once, each person joins once', async () => {
  const cohort_id = await addCohort(db, []);
  for (const domain of ['new.example', 'new.example', 'others.example']) {
    const rows = Array.from({ length: ROWS }, (_, index) => `person-${index}@${domain},Person`);
    const states = await Promise.all(
      [rows, rows.toReversed()].map((lines) =>
        importCsv(
          db,
          {
            ...{ kind: 'users' as const, product_ids: [], cohort_id, actor: 'staff@example.org' },
            csvData: ['email,name', ...lines].join('\n'),
          },
          createUploadTools(db),
        ),
      ),
    );
    const before = domain === 'others.example' ? ROWS : 0;
    const { total } = await getMemberTotal(db, cohort_id);
    const sum = (count: 'joined' | 'already') =>
      states.reduce((all, { results }) => all + (results?.[count] ?? 0), 0);
    expect(total).toBe(before + ROWS);
    expect([0, ROWS]).toContain(sum('joined'));
    expect(sum('joined') + sum('already')).toBe(2 * ROWS);
  }
  expect((await recountTally(db, new Date())).wrong).toBe(0);
});

test('two concurrent uploads of the same products add each product once', async () => {
  const rows = Array.from({ length: ROWS }, (_, index) => `Product ${index},Text,product-${index}.example`);
  expect(await importBothWays('products', 'name,description,url', { rows, product_ids: [] })).toEqual({
    success: ROWS,
    duplicates: ROWS,
    productAccess: 0,
  });
});

test('two uploads of the same codes in opposite order both succeed, and the stored codes have the order of one file', async () => {
  const rows = Array.from({ length: ROWS }, (_, index) => `CODE-${index}`);
  const { product_id } = await addProduct(db);
  expect(await importBothWays('coupons', 'coupon_code', { rows, product_ids: [product_id] })).toEqual({
    success: ROWS,
    duplicates: ROWS,
    productAccess: 0,
  });
  const stored = await db.query<{ coupon_code: string }>(
    'select coupon_code from coupon where product_id = $1 order by pos',
    [product_id],
  );
  const codes = stored.rows.map(({ coupon_code }) => coupon_code);
  expect([rows, rows.toReversed()]).toContainEqual(codes);
});
