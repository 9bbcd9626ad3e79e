// Tests `audit prune`: the file has all lines that are removed, and nothing else is removed.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { REDEEM_TOOLS } from '../../test/fill-database.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { runCommandLine } from '../../test/run-command-line.ts';
import { createUploadTools } from '../../test/test-jobs.ts';
import { deleteOldLines } from '../backup/tables.sql.ts';
import type { Database } from '../db/database.ts';
import { redeemCoupon } from '../features/redeem/redeem.ts';

const OLD_LINES = 2_500;

let db: Database;
let folder: string;
let held: string;
beforeAll(async () => {
  db = await openTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'audit-prune-'));
  const product = await addProduct(db, { name: 'Tarnquill', codes: ['ABCD-EFGH-K5M7', 'ABCD-EFGH-Q8R9'] });
  const caller = await addLearner(db, [product], 'jonas@example.org');
  await redeemCoupon(db, { caller, productId: product.product_id }, REDEEM_TOOLS);
  const { rows } = await db.query<{ id: string; holder: string | null }>(
    'select id, holder from coupon order by holder nulls last',
  );
  held = rows[0]?.id ?? '';
  // In the time zone Asia/Tokyo, 2020 begins at 15:00 UTC of the last day of 2019.
  await db.query(
    `insert into audit (at, actor, action, user_id, product_id, coupon_id, detail)
     select timestamptz '2019-12-31T14:59:59.999Z' - n * interval '1 second', 'noor@example.org', 'note.add', $1, $2,
       case when n % 100 = 0 then $3::bigint when n % 100 = 1 then $4::bigint end, jsonb_build_object('text', 'Grüße ' || n)
     from generate_series(1, ${OLD_LINES}) n`,
    [rows[0]?.holder, product.product_id, held, rows[1]?.id],
  );
  await db.query(
    "insert into audit (at, actor, action) values ('2019-12-31T15:00:00Z', 'noor@example.org', 'note.add')",
  );
});
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const prune = (...args: string[]) =>
  runCommandLine(
    {
      db,
      uploadTools: createUploadTools(db),
      rotateKeys: null,
      adminEmails: [],
      timeZone: 'Asia/Tokyo',
      publicUrl: 'http://localhost:3000',
    },
    ['audit', 'prune', ...args],
    { folder },
  );
const readAll = async () =>
  (
    await db.query<{ id: string; line: string }>(
      'select id, to_jsonb(a)::text as line from audit a order by id',
    )
  ).rows;
const refuses = { name: 'OperatorError' };

test('wrong arguments and files are refused, and nothing is removed', async () => {
  const before = await readAll();
  await writeFile(join(folder, 'there.gz'), 'older lines');
  for (const args of [
    [],
    ['--to', 'a.gz'],
    ['--before', '2020-01-01'],
    ['--before', '2020-01-01', '--to'],
    ['--before', '2020-02-30', '--to', 'a.gz'],
    ['--before', '2999-01-01', '--to', 'a.gz'],
    ['--before', '2020-01-01', '--to', 'a.gz', 'b.gz'],
  ])
    await expect(prune(...args), args.join(' ')).rejects.toMatchObject(refuses);
  const fault = { name: 'BackupError' };
  await expect(prune('--before', '2020-01-01', '--to', 'there.gz')).rejects.toMatchObject(fault);
  await expect(prune('--before', '2020-01-01', '--to', 'no/such/folder.gz')).rejects.toMatchObject(fault);
  expect(await readAll()).toEqual(before);
  expect(await readdir(folder)).toEqual(['there.gz']);
  expect(await readFile(join(folder, 'there.gz'), 'utf8')).toBe('older lines');
});

test('R-TRAIL-61: the file has exactly the lines that are removed; lines of a code that is held stay', async () => {
  const before = await readAll();
  expect(await prune('--before', '2020-01-01', '--to', 'old.gz')).toContain(
    `2,475 lines moved from the log to ${join(folder, 'old.gz')}.`,
  );
  const after = await readAll();
  const left = new Set(after.map(({ id }) => id));
  const gone = before.filter(({ id }) => !left.has(id)).map(({ line }) => JSON.parse(line));
  expect(gone).toHaveLength(OLD_LINES - OLD_LINES / 100);
  const text = gunzipSync(await readFile(join(folder, 'old.gz'))).toString();
  const written = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(written).toEqual(
    gone.map((line) => ({ ...line, email: 'jonas@example.org', product: 'Tarnquill' })),
  );
  const kept = after.map(({ line }) => JSON.parse(line));
  const old = kept.filter(({ at }) => new Date(at) < new Date('2019-12-31T15:00:00Z'));
  expect(old.map(({ coupon_id }) => String(coupon_id))).toEqual(old.map(() => held));
  expect(old).toHaveLength(OLD_LINES / 100);
  expect(kept.at(-1)).toMatchObject({
    actor: 'operator',
    via: 'operator',
    action: 'audit.prune',
    detail: { before: '2020-01-01', lines: 2_475, file_name: 'old.gz' },
  });
  expect(kept.filter(({ action }) => action === 'audit.prune')).toHaveLength(1);
});

test('where nothing is left to remove, there is no file and no line', async () => {
  const before = await readAll();
  expect(await prune('--before', '2020-01-01', '--to', 'none.gz')).toContain('No file is written.');
  expect(await readAll()).toEqual(before);
  expect(await readdir(folder)).not.toContain('none.gz');
});

test('the log stays a table that is only added to, also after a removal and for later lines in one', async () => {
  const ids = (await readAll()).map(({ id }) => id);
  const count = ids.length;
  const delete_ = (sql = 'delete from audit') => db.execute(sql);
  await expect(delete_()).rejects.toThrow('only added to');
  await expect(delete_('truncate audit')).rejects.toThrow('only added to');
  await expect(delete_("update audit set actor = 'x'")).rejects.toThrow('only added to');
  const before = new Date('2020-01-01T00:00:00Z');
  const wider = db.transaction(async (tx) => {
    await deleteOldLines(tx, { before, ids: [] });
    await tx.execute("delete from audit where at >= '2020-01-01T00:00:00Z'");
  });
  await expect(wider).rejects.toThrow('only added to');
  const emptied = db.transaction(async (tx) => {
    await deleteOldLines(tx, { before, ids: [] });
    await tx.execute('truncate audit');
  });
  await expect(emptied).rejects.toThrow('only added to');
  expect(await readAll()).toHaveLength(count);
  // Audit lines that are not old, or are about codes that somebody holds, are not deleted even by their ids.
  const removed = await db.transaction((tx) => deleteOldLines(tx, { before: new Date(0), ids }));
  expect(removed).toBe(0);
  expect(await db.transaction((tx) => deleteOldLines(tx, { before, ids }))).toBe(1);
});
