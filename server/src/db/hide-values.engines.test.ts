// Tests that a logged error of the database names the violated constraint but contains no values of the row.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from './database.ts';

const SECRET = 'CODE-OF-ADA';

let db: Database;

beforeAll(async () => {
  db = await openTestDatabase();
  await addProduct(db, { codes: [SECRET] });
});

afterAll(() => db.close());

test.each([
  ['an invalid number', 'select $1::text::integer', '22P02', '22P02'],
  ['an invalid time', 'select $1::text::timestamptz', '22007', '22007'],
  [
    'a duplicate value',
    'insert into coupon (product_id, batch_id, shared, coupon_code) select product_id, batch_id, shared, $1 from coupon',
    '23505',
    'duplicate key',
  ],
  ['a missing table', 'select $1::text from nowhere', '42P01', 'nowhere'],
])('the error of %s does not contain the value', async (_what, statement, code, rule) => {
  const error = await db.query(statement, [SECRET]).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code });
  const thrown = error as Error;
  const output = [thrown.message, thrown.stack, JSON.stringify({ ...thrown })].join(' ');
  expect(output).not.toContain(SECRET);
  expect(output).toContain(rule);
});
