// Tests what learners see after staff have revoked, replaced or voided a code, or after codes have expired: on an open
// page, after the next press and after a reload.
import {
  getBatch,
  listCoupons,
  type Product,
  revokeCoupon,
  setBatchUseBy,
  voidCoupon,
} from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { LONG_AGO } from './harness/states.ts';
import {
  expectState,
  openTabWithoutCode,
  openWithCode,
  openWithoutCode,
  press,
  sayToday,
  ticketOf,
} from './harness/ticket.ts';

const REASON = 'Shared in a forum';
const WITHDRAWN = 'Your code of this benefit was withdrawn. Please write to us at support@example.org';

const fixture = setFixture();

async function findCouponId(code: string): Promise<string> {
  const coupons = await fixture.admin.call(listCoupons, {});
  return coupons.find((coupon) => coupon.coupon_code === code)?.id as string;
}

async function revoke(code: string, replace: boolean): Promise<void> {
  const params = { id: await findCouponId(code) };
  await fixture.admin.call(revokeCoupon, { params, body: { reason: REASON, replace } });
}

const voidCode = async (code: string) =>
  fixture.admin.call(voidCoupon, {
    params: { id: await findCouponId(code) },
    body: { reason: 'dead', note: null },
  });

const expectWithdrawn = (page: Page) => expectState(page, 'Code withdrawn', WITHDRAWN);

async function expectReplaced(page: Page, code: string): Promise<void> {
  await see(ticketOf(page), code, `Your code was replaced on ${sayToday()}.`);
  await page.getByRole('link', { name: 'Visit Site To Redeem' }).waitFor();
}

/** Goes to the home page by the link above the product, without a page load. */
async function goHome(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  await see(page.getByRole('article'), /^Code issued /);
}

const pressCard = (page: Page) => page.getByRole('link', { name: /^Redeem Now/ }).click();

test('R-LIFE-36, R-LIFE-40: a revoked code stays on an open page; a press in another tab and a reload show that it was withdrawn', async () => {
  const email = 'revoked@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['REVOKED-1', 'REVOKED-2'] });
  const person = await openWithCode(fixture, email, product, 'REVOKED-1');
  const { page } = person;
  const tab = await openTabWithoutCode(person, product);
  await revoke('REVOKED-1', false);
  await press(tab);
  await expectWithdrawn(tab);
  await see(page, 'REVOKED-1');
  await page.reload();
  await expectWithdrawn(page);
  expect(await page.getByText('REVOKED-1').count()).toBe(0);
  await page.goto('/');
  await see(page.getByRole('article'), 'Withdrawn', 'See Details');
});

test('R-LIFE-40: a code is revoked while home is open: a press on its card shows that it was withdrawn', async () => {
  const email = 'revoked-card@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['RV-CARD-1', 'RV-CARD-2'] });
  const person = await openWithCode(fixture, email, product, 'RV-CARD-1');
  person.allowComplaint(/409/);
  await goHome(person.page);
  await revoke('RV-CARD-1', false);
  await pressCard(person.page);
  await expectWithdrawn(person.page);
});

test('N-99, R-LIFE-40: a replaced code stays on an open page; a press in another tab and a reload show the new code and the day', async () => {
  const email = 'replaced@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['OLD-1', 'NEW-2'] });
  const person = await openWithCode(fixture, email, product, 'OLD-1');
  const { page } = person;
  const tab = await openTabWithoutCode(person, product);
  await revoke('OLD-1', true);
  await press(tab);
  await expectReplaced(tab, 'NEW-2');
  await see(page, 'OLD-1');
  await page.reload();
  await expectReplaced(page, 'NEW-2');
  expect(await page.getByText('OLD-1').count()).toBe(0);
});

test('N-99, R-LIFE-40: a code is replaced while home is open: a press on its card shows the new code and the day', async () => {
  const email = 'replaced-card@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['RP-CARD-1', 'RP-CARD-2'] });
  const { page } = await openWithCode(fixture, email, product, 'RP-CARD-1');
  await goHome(page);
  await revoke('RP-CARD-1', true);
  await pressCard(page);
  await expectReplaced(page, 'RP-CARD-2');
});

test('R-LIFE-40: void codes: the next press gets another code, and No codes left only if there is none', async () => {
  const [first, second] = ['void-1@learner.example', 'void-2@learner.example'];
  const product = await offerProduct(fixture, {
    learners: [first, second],
    codes: ['VOID-1', 'VOID-2', 'VOID-3'],
  });
  const one = await openWithoutCode(fixture, first, product);
  const two = await openWithoutCode(fixture, second, product);
  await voidCode('VOID-1');
  await press(one.page);
  await see(one.page, 'VOID-2');
  await voidCode('VOID-3');
  await press(two.page);
  await see(two.page, 'No codes left');
  await one.page.reload();
  await see(one.page, 'VOID-2');
});

test('R-LIFE-40, HOLD: expired codes: the next press gets a later code, No codes left only if there is none, and a holder keeps an expired code', async () => {
  const learners = ['past-1@learner.example', 'past-2@learner.example', 'past-3@learner.example'] as const;
  const product = await offerProduct(fixture, { learners: [...learners] });
  const file = await importCodes(product, 'past.csv', 'PAST-1', 'PAST-2');
  const holder = await openWithCode(fixture, learners[0], product, 'PAST-1');
  await importCodes(product, 'later.csv', 'LATER-1');
  const two = await openWithoutCode(fixture, learners[1], product);
  const three = await openWithoutCode(fixture, learners[2], product);
  await expire(file);
  await press(two.page);
  await see(two.page, 'LATER-1');
  await press(three.page);
  await see(three.page, 'No codes left');
  await holder.page.reload();
  await see(holder.page, 'PAST-1');
});

const importCodes = (product: Product, file: string, ...codes: string[]) =>
  fixture.admin.importFile(product, file, 'coupon_code', ...codes);

/** Sets a day in the past as the last day of the free codes in the upload, and waits until none is free. */
async function expire(id: string): Promise<void> {
  const params = { id };
  const { free } = await fixture.admin.call(getBatch, { params });
  await fixture.admin.call(setBatchUseBy, { params, body: { use_by: LONG_AGO, expected: free } });
  await expect.poll(async () => (await fixture.admin.call(getBatch, { params })).free).toBe(0);
}
