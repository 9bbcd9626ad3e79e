// What an engine's error says to the log: which rule was broken, never by what.
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
  ['a text that is no number', 'select $1::text::integer', '22P02', '22P02'],
  ['a text that is no time', 'select $1::text::timestamptz', '22007', '22007'],
  [
    'a value that is not alone',
    'insert into coupon (product_id, batch_id, shared, coupon_code) select product_id, batch_id, shared, $1 from coupon',
    '23505',
    'duplicate key',
  ],
  ['a table that is not there', 'select $1::text from nowhere', '42P01', 'nowhere'],
])('%s is told without the value', async (_what, statement, code, rule) => {
  const error = await db.query(statement, [SECRET]).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code });
  const told = error as Error;
  const said = [told.message, told.stack, JSON.stringify({ ...told })].join(' ');
  expect(said).not.toContain(SECRET);
  expect(said).toContain(rule);
});
