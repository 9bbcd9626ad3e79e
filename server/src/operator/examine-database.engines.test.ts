// Tests the doctor's checks of the database.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openEmptyTestDatabase, openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import { listMigrations, migrate } from '../db/migrate.ts';
import { recountTally } from '../features/dashboard/tally.sql.ts';
import { type CheckResult, examineDatabase } from './examine-database.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

function show(checkResults: CheckResult[]): string[] {
  return checkResults.map(({ about, state, text }) => `${state} ${about}: ${text}`);
}

test('a usable database gives only findings in order, and is not changed', async () => {
  const before = await db.query('select * from tally_change');
  expect(show(await examineDatabase(db, Date.now))).toEqual([
    expect.stringMatching(/^ok database: PostgreSQL \d+.*, answers$/),
    expect.stringMatching(/^ok schema: version \d+, current$/),
    'ok writes: one was made and taken back',
    expect.stringMatching(/^ok clock: .*time zone is /),
    'ok free codes: claims find every one',
  ]);
  expect((await db.query('select * from tally_change')).rows).toEqual(before.rows);
});

test('an older, a newer and a missing schema give different findings', async () => {
  const other = await openEmptyTestDatabase();
  onTestFinished(() => other.close());
  expect(show(await examineDatabase(other, Date.now))[1]).toBe(
    'ok schema: empty: the first start makes the tables',
  );
  await migrate(other, (await listMigrations()).slice(0, -1));
  expect(show(await examineDatabase(other, Date.now))[1]).toMatch(/^wrong schema: .*\(re\)start the portal/);
  await migrate(other);
  await other.query("insert into schema_migration (version, name) values (9999, 'later')");
  expect(show(await examineDatabase(other, Date.now))[1]).toMatch(
    /^wrong schema: version 9999.*start the newer/,
  );
});

test('a read-only database and a different clock are wrong', async () => {
  const other = await openTestDatabase();
  onTestFinished(() => other.close());
  await other.execute('alter table tally_change add check (n <> 0)');
  expect(show(await examineDatabase(other, () => Date.now() - 3_600_000))).toEqual([
    expect.stringMatching(/^ok/),
    expect.stringMatching(/^ok/),
    expect.stringMatching(/^wrong writes: .*Look for a full disk/),
    expect.stringMatching(/^wrong clock: .* 3[56]\d\d\.\d s apart.*NTP/),
    expect.stringMatching(/^ok/),
  ]);
});

test('free codes that no claim finds are wrong, until the figures are recounted', async () => {
  const other = await openTestDatabase();
  onTestFinished(() => other.close());
  const { product_id } = await addProduct(other, { codes: 3 });
  const find = async () => show(await examineDatabase(other, Date.now)).at(-1);
  const wrong = /^wrong free codes: 3 free codes cannot be handed out.*Run script\/portal figures recount\./;
  for (const damage of ['delete from claim_day', 'update claim_day set pos = pos + 100']) {
    await other.query(`${damage} where product_id = $1`, [product_id]);
    expect(await find()).toMatch(wrong);
    expect(await recountTally(other, new Date())).toMatchObject({ reopened: 1 });
    expect(await find()).toMatch(/^ok/);
  }
});
