// Tests the migrations 0060 to 0063, by which texts that look the same are one text.
import { canonicalKey } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import { openEmptyTestDatabase, openTestDatabase } from '../../test/open-test-database.ts';
import { listMigrations, migrate } from './migrate.ts';

const LAST_OF_OLD_VERSION = 59;

test('R-MAP-01: the database finds the same canonical form as the program, for every character', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  // Without large blocks of characters that are alike: ideographs, syllables, private and unassigned ones.
  const blocks = [
    [0x1, 0x33ff],
    [0xa000, 0xabff],
    [0xf900, 0x16fff],
    [0x1b000, 0x1ffff],
    [0x2f800, 0x2fa1f],
    [0xe0000, 0xe0fff],
  ];
  const { rows } = await db.query<{ code: number; canonical: string }>(
    `select code, canonical from unnest($1::int[], $2::int[]) block (first, last)
       cross join lateral generate_series(first, last) code
       cross join lateral (select 'E' || chr(code) || 'x') given (text)
       cross join lateral (select canonical_key(text) offset 0) c (canonical)
     where canonical <> text order by code`,
    [blocks.map(([first]) => first), blocks.map(([, last]) => last)],
  );
  const codes = blocks.flatMap(([first = 0, last = 0]) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at),
  );
  const expected = codes.flatMap((code) => {
    const text = `E${String.fromCodePoint(code)}x`;
    const canonical = canonicalKey(text);
    return canonical === text ? [] : [{ code, canonical }];
  });
  expect(rows).toEqual(expected);
});

test('R-MAP-02: the upgrade makes free codes void that look like another code, and changes no held code', async () => {
  const db = await openEmptyTestDatabase();
  onTestFinished(() => db.close());
  const old = (await listMigrations()).filter(({ version }) => version <= LAST_OF_OLD_VERSION);
  await migrate(db, old);
  await db.execute(`
    insert into product (name, description, url) values ('Tool', 'A tool.', 'tool.example'), ('Other', 'x', 'x.example');
    insert into app_user (email) values ('lea@example.org');
    insert into coupon_batch (product_id, source, created_by) select product_id, 'form', 'x' from product;
    insert into coupon (product_id, batch_id, shared, coupon_code)
      select p.product_id, b.id, false, code from product p join coupon_batch b using (product_id), unnest(array[
        'FREE', U&'FR\\200BEE', U&'\\FEFFFREE', U&'HELD\\00AD', 'HELD', 'É', U&'E\\0301', 'Ａ-1', 'PLAIN', U&'OLDER\\200D', 'OLDER', 'DEAD', U&'DE\\2060AD'
      ]) with ordinality as c (code, n) where p.name = 'Tool' or n = 2 order by n, p.name desc;
    update coupon set voided_at = now(), voided_by = 'x', void_reason = 'dead' where coupon_code = 'DEAD';
    update coupon set holder = u.id, assigned_at = now(), assigned_by = u.email from app_user u where coupon_code = U&'HELD\\00AD'`);
  await migrate(db);
  const { rows } = await db.query<{ code: string; state: string }>(
    `select p.name || ' ' || replace(replace(coupon_code, U&'\\200B', '~'), U&'\\FEFF', '~') as code,
       coalesce(void_reason, case when holder is null then 'free' else 'held' end) as state
     from coupon c join product p using (product_id) order by c.id`,
  );
  expect(rows.map(({ code, state }) => `${code}: ${state}`)).toEqual([
    'Tool FREE: free',
    ...['Tool FR~EE: duplicate', 'Other FR~EE: free', 'Tool ~FREE: duplicate'],
    ...['Tool HELD\u00AD: held', 'Tool HELD: duplicate'],
    ...['Tool É: free', 'Tool E\u0301: duplicate', 'Tool Ａ-1: free', 'Tool PLAIN: free'],
    ...['Tool OLDER\u200D: free', 'Tool OLDER: duplicate'],
    ...['Tool DEAD: dead', 'Tool DE\u2060AD: duplicate'],
  ]);
  const lines = await db.query("select actor, detail from audit where action = 'coupon.void'");
  expect(lines.rows).toEqual(Array(6).fill({ actor: 'portal', detail: { reason: 'duplicate' } }));
});
