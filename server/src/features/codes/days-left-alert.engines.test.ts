// Tests the alert that the codes of a product last few days, and the texts of all stock alerts (R-FUN-08, R-DAY-65).

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addCodes, addProduct } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import type { Job } from '../../jobs/jobs.sql.ts';
import { makeOwners } from '../team/team.ts';
import { sendLowStockAlerts, writeLowStockMail } from './stock.ts';

const TODAY = '2026-03-20';
const BRAND = { name: 'Academy', accent: '#005f44', support_email: '' };
const write = (data: object) =>
  writeLowStockMail({ data } as Job, { publicUrl: 'https://portal.example', brand: BRAND });

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
  await makeOwners(db, ['ada@example.org', 'bob@example.org']);
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.query(
    "update product set archived_at = now(), archived_by = 'staff@example.org' where archived_at is null",
  );
  await db.query('delete from job');
});

/** Adds a product of which `handedOut` codes were handed out in 14 days, by the last count. */
async function addCounted(name: string, codes: number, handedOut: number | null) {
  const product = await addProduct(db, { name, codes });
  await db.query(
    `insert into stock_forecast (product_id, counted_at, day, without_code, assigned, handed_out)
     values ($1, now(), $2, 100, 0, $3)`,
    [product.product_id, TODAY, handedOut],
  );
  return product;
}

const setPace = ({ product_id }: { product_id: string }, handedOut: number | null) =>
  db.query('update stock_forecast set handed_out = $2 where product_id = $1', [product_id, handedOut]);

/** Enqueues the alerts that are due. Returns the subjects of the waiting mails to ada, and deletes them. */
async function alert(): Promise<string[]> {
  await sendLowStockAlerts(db, { now: new Date(`${TODAY}T12:00:00Z`), today: TODAY });
  const { rows } = await db.query<{ data: { about: string } }>(
    "delete from job where kind = 'stock-mail' returning data",
  );
  return rows.filter(({ data }) => data.about === 'ada@example.org').map(({ data }) => write(data).subject);
}

test('R-DAY-68: one mail when the codes last less than 14 days, and the next one only after they lasted more than 21', async () => {
  const product = await addCounted('Tarnquill', 30, 30);
  await addCounted('Unknown', 30, null);
  expect(await alert()).toEqual([]);
  await setPace(product, 31);
  expect(await alert()).toEqual(['Codes last about 13 days: Tarnquill']);
  expect(await alert()).toEqual([]);
  // 21 days are not more than 21.
  await setPace(product, 20);
  expect(await alert()).toEqual([]);
  await setPace(product, 42);
  expect(await alert()).toEqual([]);
  await addCodes(
    db,
    product,
    Array.from({ length: 60 }, (_, index) => `MORE-${index}`),
  );
  expect(await alert()).toEqual([]);
  await setPace(product, 140);
  expect(await alert()).toEqual(['Codes last about 9 days: Tarnquill']);
  // Without a pace, the codes are not known to last longer.
  await setPace(product, null);
  expect(await alert()).toEqual([]);
  await setPace(product, 140);
  expect(await alert()).toEqual([]);
});

test('R-DAY-68: two processes send one mail to each administrator', async () => {
  await addCounted('Twice', 30, 60);
  const at = { now: new Date(`${TODAY}T12:00:00Z`), today: TODAY };
  const sent = await Promise.all([sendLowStockAlerts(db, at), sendLowStockAlerts(db, at)]);
  expect(sent.toSorted()).toEqual([0, 2]);
});

test('R-DAY-68: no mail about paused, ended, archived and shared products', async () => {
  for (const change of [
    "paused_at = now(), paused_by = 'staff@example.org'",
    "closes_on = '2026-03-19'",
    "opens_on = '2026-03-21'",
    "archived_at = now(), archived_by = 'staff@example.org'",
  ]) {
    const { product_id } = await addCounted(change, 30, 60);
    await db.query(`update product set ${change} where product_id = $1`, [product_id]);
  }
  await addProduct(db, { shared_coupon: true, codes: 1 });
  expect(await alert()).toEqual([]);
});

test('R-DAY-68: a mail that few codes are left also counts as the mail about few days', async () => {
  const product = await addCounted('Both', 21, 28);
  await db.query(
    `update coupon set voided_at = now(), voided_by = 'operator', void_reason = 'dead'
     where product_id = $1 and coupon_code not in ('CODE-1', 'CODE-2', 'CODE-3')`,
    [product.product_id],
  );
  // Three of three codes are free, so only the days are few.
  expect(await alert()).toEqual(['Codes last about 1 day: Both']);
  const other = await addCounted('Low', 1, 28);
  await db.query("insert into tally (what, product_id, n) values ('code', $1, 19), ('issued', $1, 19)", [
    other.product_id,
  ]);
  expect(await alert()).toEqual(['Few codes left: Low']);
  expect(await alert()).toEqual([]);
});

const LOW = {
  ...{ about: 'ada@example.org', product_id: 'a b', name: 'Tarnquill', level: 'low', left: 1, total: 20 },
  ...{ days_left: null, pace: null, short: null, expiring_first: null, expires_on: null },
};
const DAYS = { ...LOW, level: 'days', left: 45, total: 200, days_left: 9, pace: 4.5, short: 0 };

test('R-DAY-65: stock mails are in the frame of all mails, link to the upload of the product, and have right plurals', () => {
  const { to, text, html } = write(LOW);
  expect(to).toBe('ada@example.org');
  const link = 'https://portal.example/admin/coupons?open=upload&product=a+b';
  expect(text).toBe(`1 of 20 codes of Tarnquill is left.\n\nAdd codes here:\n${link}\n`);
  expect(html).toContain(`href="${link.replace('&', '&amp;')}"`);
  expect(html).toContain('Academy');
  const lead = (change: object) => write({ ...LOW, ...change }).text.split('\n')[0];
  expect(lead({ left: 2 })).toBe('2 of 20 codes of Tarnquill are left.');
  expect(lead({ level: 'empty', left: 0, total: 1 })).toBe(
    'The only code of Tarnquill has been handed out. Learners who redeem now are told that none is left.',
  );
  expect(lead({ level: 'empty', left: 0, total: 1_500 })).toMatch(/^All 1,500 codes of Tarnquill have been/);
});

test('R-DAY-68: a stock mail says the pace, the days, the codes that expire first, and whether they are enough', () => {
  const said = (change: object) => write({ ...DAYS, ...change }).text.split('\n')[2];
  expect(said({})).toBe(
    'At the pace of the last 14 days (4.5 a day), the codes last about 9 days. They are enough for all who have access today.',
  );
  expect(said({ days_left: 0, short: 1 })).toBe(
    'At the pace of the last 14 days (4.5 a day), the codes last less than a day. 1 code is short if everybody claims.',
  );
  expect(said({ expiring_first: 1_200, expires_on: '2026-03-23', short: 2 })).toBe(
    'At the pace of the last 14 days (4.5 a day), the codes last about 9 days. 1,200 of them will expire first, beginning on 23 Mar 2026. 2 codes are short if everybody claims.',
  );
  expect(write(DAYS).subject).toBe('Codes last about 9 days: Tarnquill');
  // A mail of the version before has no forecast.
  const { days_left, pace, short, expiring_first, expires_on, ...old } = LOW;
  expect([days_left, pace, short, expiring_first, expires_on]).toEqual([null, null, null, null, null]);
  expect(write(old).text).toBe(write(LOW).text);
});
