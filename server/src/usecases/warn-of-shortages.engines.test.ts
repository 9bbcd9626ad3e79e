import { afterAll, beforeAll, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import type { Database } from '../db/database.ts';
import { createClaimHints } from './claim-hints.ts';
import { redeemCoupon } from './redeem-coupon.ts';
import { setAdmin } from './set-admin.ts';
import { warnOfShortages } from './warn-of-shortages.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
  for (const email of ['ada@example.org', 'bob@example.org']) await setAdmin(db, { email, admin: true });
});
afterAll(() => db.close());

const now = () => new Date();

async function warn(): Promise<string[]> {
  const mails: string[] = [];
  const sendMail = async ({ to, subject }: { to: string; subject: string }) => {
    mails.push(`${to}: ${subject}`);
  };
  await warnOfShortages(db, { now, publicUrl: 'https://x.example', sendMail });
  return mails;
}

test('each administrator is told once when less than a tenth is left, once when none is, and anew after more came', async () => {
  const product = await addProduct(db, { name: 'Tarnquill', codes: 20 });
  await addProduct(db, { name: 'Shared', shared_coupon: true, codes: 1 });
  await addProduct(db, { name: 'Never had any' });
  const tools = { hints: createClaimHints(), now, supportEmail: '' };
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
  expect(await warn()).toEqual([]);
  await redeem(1);
  const low = ['ada@example.org: Few codes left: Tarnquill', 'bob@example.org: Few codes left: Tarnquill'];
  expect(await warn()).toEqual(low);
  expect(await warn()).toEqual([]);
  await redeem(1);
  expect(await warn()).toEqual(low.map((line) => line.replace('Few', 'No')));
  expect(await warn()).toEqual([]);
  await addCodes(
    db,
    product,
    Array.from({ length: 20 }, (_, index) => `MORE-${index}`),
  );
  expect(await warn()).toEqual([]);
  await redeem(18);
  expect(await warn()).toEqual(low);
});

test('a mail that could not be sent is sent at the next look', async () => {
  const product = await addProduct(db, { name: 'Unlucky', codes: 1 });
  await redeemCoupon(
    db,
    { caller: await addLearner(db, [product]), productId: product.product_id },
    { hints: createClaimHints(), now, supportEmail: '' },
  );
  const sendMail = () => Promise.reject(new Error('no mail server'));
  await expect(warnOfShortages(db, { now, publicUrl: 'https://x.example', sendMail })).rejects.toThrow(
    'no mail server',
  );
  expect(await warn()).toContain('ada@example.org: No codes left: Unlucky');
});
