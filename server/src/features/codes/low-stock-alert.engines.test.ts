// Tests low-stock alerts: who gets which mail and when, also while the mail server fails.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcDayOf } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createTestJobs } from '../../../test/test-jobs.ts';
import { createDayOf } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { listFailedJobs } from '../../jobs/job-lists.sql.ts';
import type { Job } from '../../jobs/jobs.sql.ts';
import { JobFailure } from '../../jobs/run-job.ts';
import { MAIL_LOG } from '../../mail/mail-log.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { makeOwners } from '../team/team.ts';
import { sendLowStockAlerts, writeLowStockMail } from './stock.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
  await makeOwners(db, ['ada@example.org', 'bob@example.org']);
});
afterAll(() => db.close());

const now = () => new Date();
const BRAND = { name: 'Academy', accent: '#005f44', support_email: '' };

type SendMail = (mail: { to: string; subject: string }) => Promise<void>;

/** Enqueues the alerts that are due, then runs each due mail job once. */
async function runAlerts(sendMail: SendMail, at = new Date()): Promise<void> {
  await sendLowStockAlerts(db, { now: at, today: utcDayOf(at) });
  const run = async (job: Job) => {
    await sendMail(writeLowStockMail(job, { publicUrl: 'https://x.example', brand: BRAND }));
    return 'OK: queued';
  };
  const jobs = createTestJobs(db, { 'stock-mail': { ...MAIL_LOG, run } }, { now: () => at });
  jobs.wake('mail');
  await jobs.close();
}

async function sendAlerts(): Promise<string[]> {
  const mails: string[] = [];
  await runAlerts(async ({ to, subject }) => {
    mails.push(`${to}: ${subject}`);
  });
  return mails.sort();
}

test('each administrator gets one mail when less than a tenth is left, one when none is left, and again after codes were added', async () => {
  const product = await addProduct(db, { name: 'Tarnquill', codes: 20 });
  await addProduct(db, { name: 'Shared', shared_coupon: true, codes: 1 });
  await addProduct(db, { name: 'Never had any' });
  const tools = { dayOf: createDayOf('UTC'), now, supportEmail: '' };
  const redeem = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      await redeemCoupon(
        db,
        { caller: await addLearner(db, [product]), productId: product.product_id },
        tools,
      );
    }
  };
  await redeem(18);
  expect(await sendAlerts()).toEqual([]);
  await redeem(1);
  const low = ['ada@example.org: Few codes left: Tarnquill', 'bob@example.org: Few codes left: Tarnquill'];
  expect(await sendAlerts()).toEqual(low);
  expect(await sendAlerts()).toEqual([]);
  await redeem(1);
  expect(await sendAlerts()).toEqual(low.map((line) => line.replace('Few', 'No')));
  expect(await sendAlerts()).toEqual([]);
  await addCodes(
    db,
    product,
    Array.from({ length: 20 }, (_, index) => `MORE-${index}`),
  );
  expect(await sendAlerts()).toEqual([]);
  await redeem(18);
  expect(await sendAlerts()).toEqual(low);
});

test('R-DAY-40: the mails about one product are one entry of the log; a refused one is another', async () => {
  const product = await addProduct(db, { name: 'Grouped', codes: 1 });
  const { product_id } = product;
  const caller = await addLearner(db, [product]);
  await redeemCoupon(
    db,
    { caller, productId: product_id },
    { dayOf: createDayOf('UTC'), now, supportEmail: '' },
  );
  await runAlerts(async ({ to }) => {
    if (to.startsWith('bob')) throw new JobFailure('550 no such user');
  });
  const { rows } = await db.query(
    `select action, summary_of is not null as is_summary, group_id is not null as is_part from audit
     where product_id = $1 and action like 'mail.%' order by id`,
    [product_id],
  );
  expect(rows.filter((row) => row.is_summary || !row.is_part)).toEqual([
    { action: 'mail.queue', is_summary: true, is_part: true },
    { action: 'mail.fail', is_summary: false, is_part: false },
  ]);
});

test('if the mail server refuses one address, the other administrators still get one mail each', async () => {
  await db.query('delete from job');
  const product = await addProduct(db, { name: 'Unlucky', codes: 1 });
  await redeemCoupon(
    db,
    { caller: await addLearner(db, [product]), productId: product.product_id },
    { dayOf: createDayOf('UTC'), now, supportEmail: '' },
  );
  const tried: string[] = [];
  const sendMail: SendMail = async ({ to }) => {
    tried.push(to);
    if (to === 'ada@example.org') throw new JobFailure('550 5.1.1 no such person');
  };
  for (let minute = 0; minute < 6; minute += 1)
    await runAlerts(sendMail, new Date(Date.now() + minute * 60_000));
  expect(tried.sort()).toEqual(['ada@example.org', 'bob@example.org']);
  expect(await listFailedJobs(db, 10)).toMatchObject([
    { kind: 'stock-mail', about: 'ada@example.org', reason: '550 5.1.1 no such person', count: 1 },
  ]);
});

test('a mail is retried if the mail server is temporarily unavailable', async () => {
  await db.query('delete from job');
  await db.query('delete from stock_notice');
  const tried: string[] = [];
  const down: SendMail = async ({ to }) => {
    tried.push(to);
    throw new Error('no mail server');
  };
  await runAlerts(down);
  expect(await sendAlerts()).toEqual([]);
  const taken: string[] = [];
  await runAlerts(async ({ to }) => void taken.push(to), new Date(Date.now() + 2_000));
  expect(taken.sort()).toEqual(tried.sort());
  expect(taken).not.toEqual([]);
});

test('the mail that no code is left is sent even if the mail that few are left still waits for the mail server', async () => {
  await db.query('delete from job');
  await db.query('delete from stock_notice');
  const product = await addProduct(db, { name: 'Falling', codes: 11 });
  const redeem = async () => {
    const caller = await addLearner(db, [product]);
    const tools = { dayOf: createDayOf('UTC'), now, supportEmail: '' };
    await redeemCoupon(db, { caller, productId: product.product_id }, tools);
  };
  for (let count = 0; count < 10; count += 1) await redeem();
  await runAlerts(() => Promise.reject(new Error('no mail server')));
  await redeem();
  const subjects: string[] = [];
  await runAlerts(async ({ subject }) => void subjects.push(subject), new Date(Date.now() + 60_000));
  expect(subjects).toContain('No codes left: Falling');
});
