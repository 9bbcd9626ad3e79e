// Tests what learners see after staff have paused, ended or archived a product, or changed an access or a code: on an
// open page, after a click and after a reload. A learner keeps seeing a code until it is revoked.
import {
  createGrants,
  editGrant,
  type Grant,
  getBatch,
  listBatches,
  listCoupons,
  type Product,
  revokeCoupon,
  setBatchUseBy,
  voidCoupon,
  withdrawGrant,
} from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, type Person, see } from './harness/browser.ts';
import { holdCalls } from './harness/hold.ts';
import { edit, setStatus } from './harness/products.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const REDEEM = '**/api/redeem-secure';
const LONG_AGO = '2000-01-01';
const FAR = '2999-12-31';
const SUPPORT = 'support@example.org';
const BRITISH = { locale: 'en-GB' };
const REASON = 'The cohort has ended';

const scene = setScene();

/**
 * Creates a learner with access to the product and returns the grant. `addLearner` gives the access. The call of
 * `createGrants` changes nothing, but returns the existing grant.
 */
async function grant(email: string, product: Product): Promise<Grant> {
  await scene.admin.addLearner(email, product);
  const body = { email, product_ids: [product.product_id] };
  const { grants } = await scene.admin.call(createGrants, { body });
  return grants[0] as Grant;
}

const setDays = ({ id }: Grant, starts_on: string, ends_on: string | null) =>
  scene.admin.call(editGrant, { params: { id }, body: { starts_on, ends_on, reason: REASON } });

async function findCouponId(code: string): Promise<string> {
  const coupons = await scene.admin.call(listCoupons, {});
  return coupons.find((coupon) => coupon.coupon_code === code)?.id as string;
}

async function revoke(code: string, replace: boolean): Promise<void> {
  const params = { id: await findCouponId(code) };
  await scene.admin.call(revokeCoupon, { params, body: { reason: REASON, replace } });
}

const voidCode = async (code: string) =>
  scene.admin.call(voidCoupon, {
    params: { id: await findCouponId(code) },
    body: { reason: 'dead', note: null },
  });

const ticketOf = (page: Page) => page.getByRole('region', { name: 'Your coupon' });
const redeemButton = (page: Page) => ticketOf(page).getByRole('button', { name: 'Redeem Now' });
const toasts = (page: Page) =>
  page.getByRole('region', { name: 'Notifications (F8)' }).locator('[data-variant]');

/**
 * Opens the product page as this learner. Aborts the automatic redemption, so that the page shows the button 'Redeem
 * Now' instead of a code.
 */
async function openWithoutCode(email: string, product: Product): Promise<Person> {
  const person = await openPerson(scene, BRITISH);
  person.allowComplaint(/ERR_FAILED|403|409/);
  await person.page.route(REDEEM, (route) => route.abort(), { times: 1 });
  await arriveSignedIn(person, scene, email, `/product/${product.product_id}`);
  await see(person.page, 'Error');
  return person;
}

async function openWithCode(email: string, product: Product, code: string | RegExp): Promise<Person> {
  const person = await openPerson(scene, BRITISH);
  await arriveSignedIn(person, scene, email, `/product/${product.product_id}`);
  await see(person.page, code);
  return person;
}

/** Presses the button 'Redeem Now' with the keyboard. */
async function press(page: Page): Promise<void> {
  await redeemButton(page).focus();
  await page.keyboard.press('Enter');
}

async function expectState(page: Page, title: string, message: string): Promise<void> {
  await ticketOf(page).getByRole('heading', { name: title, exact: true }).waitFor();
  await expect.poll(() => ticketOf(page).locator('h2 + p').textContent()).toBe(message);
  expect(await ticketOf(page).getByRole('button').count()).toBe(0);
  expect(await toasts(page).count()).toBe(0);
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

type Change = {
  name: string;
  act: (product: Product, grants: Grant[]) => Promise<unknown>;
  title: string;
  message: string;
  /**
   * The label of the state and the text of the link on the product's card on home, for a learner without a code. Null
   * if home shows no card for the product.
   */
  card: [string, string] | null;
};

const changes: Change[] = [
  {
    name: 'paused',
    act: (product) => setStatus(scene, product, 'paused'),
    title: 'Paused',
    message: 'This benefit is paused for the moment. Please try again later.',
    card: ['Paused', 'See Details'],
  },
  {
    name: 'ended',
    act: (product) => edit(scene, product, { closes_on: LONG_AGO }),
    title: 'This offer has ended',
    message: 'Codes of this benefit are no longer handed out.',
    card: null,
  },
  {
    name: 'archived',
    act: (product) => setStatus(scene, product, 'archived'),
    title: 'This offer has ended',
    message: 'Codes of this benefit are no longer handed out.',
    card: null,
  },
  {
    name: 'not open yet',
    act: (product) => edit(scene, product, { opens_on: FAR }),
    title: 'Not open yet',
    message: 'Redeeming opens on 31 Dec 2999.',
    card: ['From 31 Dec 2999', 'See Details'],
  },
  {
    name: 'access that begins later',
    act: (_product, grants) => Promise.all(grants.map((each) => setDays(each, FAR, null))),
    title: 'Not yet yours',
    message: 'Your access to this benefit begins on 31 Dec 2999.',
    card: ['From 31 Dec 2999', 'See Details'],
  },
  {
    name: 'access that is over',
    act: (_product, grants) => Promise.all(grants.map((each) => setDays(each, LONG_AGO, LONG_AGO))),
    title: 'Your access has ended',
    message: `Your access to this benefit ended on 1 Jan 2000. Please write to us at ${SUPPORT}`,
    card: null,
  },
];

test.each(changes)(
  'R-LIFE-36, R-LIFE-40: $name: the next press of a learner without a code shows it as a state of the ticket, and a code that was handed out stays',
  async ({ name, act, title, message, card }) => {
    const slug = name.replaceAll(' ', '-');
    const [holder, other] = [`hold-${slug}@learner.example`, `none-${slug}@learner.example`];
    const product = await offerProduct(scene, { codes: [`${slug}-1`, `${slug}-2`] });
    const grants = [await grant(holder, product), await grant(other, product)];
    const held = await openWithCode(holder, product, `${slug}-1`);
    const { page } = await openWithoutCode(other, product);
    await act(product, grants);

    await press(page);
    await expectState(page, title, message);
    expect(await focused(page)).toBe(title);
    await ticketOf(page).getByRole('alert').waitFor();

    await page.reload();
    await expectState(page, title, message);
    expect(await focused(page)).not.toBe(title);
    expect(await ticketOf(page).getByRole('alert').count()).toBe(0);

    await page.goto('/');
    if (card) await see(page.getByRole('article'), ...card);
    else await see(page, 'No tools on this account yet');

    await see(held.page, `${slug}-1`);
    await held.page.reload();
    await see(held.page, `${slug}-1`);
    await held.page.getByRole('link', { name: 'Visit Site To Redeem' }).waitFor();
    await held.page.goto('/');
    await see(held.page.getByRole('article'), /^Code issued /, 'Redeem Now');
  },
);

test('R-LIFE-40: withdrawn access: the next press shows that it has ended, and a code that was handed out stays', async () => {
  const [holder, other] = ['hold-away@learner.example', 'none-away@learner.example'];
  const product = await offerProduct(scene, { codes: ['AWAY-1', 'AWAY-2'] });
  const grants = [await grant(holder, product), await grant(other, product)];
  const held = await openWithCode(holder, product, 'AWAY-1');
  const { page } = await openWithoutCode(other, product);
  for (const { id } of grants) {
    await scene.admin.call(withdrawGrant, { params: { id }, body: { reason: REASON, revoke_code: false } });
  }
  await press(page);
  await ticketOf(page).getByRole('heading', { name: 'Your access has ended' }).waitFor();
  await see(held.page, 'AWAY-1');
  await held.page.reload();
  await see(held.page, 'AWAY-1');
});

test('R-LIFE-36: a ticket that was closed opens with the next visit, and home shows it again', async () => {
  const email = 'resumed@learner.example';
  const product = await offerProduct(scene, { learners: [email], codes: ['RESUMED-1'] });
  await setStatus(scene, product, 'paused');
  const person = await openPerson(scene);
  person.allowComplaint(/409/);
  const { page } = person;
  await arriveSignedIn(person, scene, email);
  const letThrough = await holdCalls(page, REDEEM);
  await page.getByRole('link', { name: /^See Details/ }).click();
  // Home has already loaded the product's state. So the ticket on the product page shows this state before the server
  // responds.
  await ticketOf(page).getByRole('heading', { name: 'Paused' }).waitFor();
  expect(await redeemButton(page).count()).toBe(0);
  await setStatus(scene, product, 'live');
  letThrough();
  await see(page, 'RESUMED-1');
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  await see(page, /^Code issued /);
});

test('R-LIFE-40: a refusal makes home read its products again', async () => {
  const email = 'reread@learner.example';
  const product = await offerProduct(scene, { learners: [email], codes: ['REREAD-1'] });
  const person = await openPerson(scene);
  person.allowComplaint(/409/);
  const { page } = person;
  await arriveSignedIn(person, scene, email);
  await see(page, 'Redeem Now');
  await setStatus(scene, product, 'paused');
  await page.getByRole('link', { name: /^Redeem Now/ }).click();
  await ticketOf(page).getByRole('heading', { name: 'Paused' }).waitFor();
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  await see(page.getByRole('article'), 'Paused', 'See Details');
});

test('R-LIFE-40: an edited product: a press works, and the next load shows the new texts and the new link with the same code', async () => {
  const email = 'edited@learner.example';
  const product = await offerProduct(scene, { learners: [email], codes: ['EDITED-1'] });
  const { page } = await openWithoutCode(email, product);
  await edit(scene, product, { name: 'Renamed Assistant', url: 'https://renamed.example/start' });
  await press(page);
  await see(page, 'EDITED-1', product.name);
  await page.reload();
  await see(page, 'EDITED-1', 'Renamed Assistant');
  const link = page.getByRole('link', { name: 'Visit Site To Redeem' });
  expect(await link.getAttribute('href')).toBe('https://renamed.example/start');
});

test('R-LIFE-36, R-LIFE-40: a revoked code stays on an open page, and after a reload the ticket says that it was withdrawn', async () => {
  const email = 'revoked@learner.example';
  const product = await offerProduct(scene, { learners: [email], codes: ['REVOKED-1', 'REVOKED-2'] });
  const person = await openWithCode(email, product, 'REVOKED-1');
  person.allowComplaint(/409/);
  const { page } = person;
  await revoke('REVOKED-1', false);
  await see(page, 'REVOKED-1');
  await page.reload();
  await expectState(
    page,
    'Code withdrawn',
    `Your code of this benefit was withdrawn. Please write to us at ${SUPPORT}`,
  );
  expect(await page.getByText('REVOKED-1').count()).toBe(0);
  await page.goto('/');
  await see(page.getByRole('article'), 'Withdrawn', 'See Details');
});

test('N-99, R-LIFE-40: after a reload the ticket shows the code in place of a revoked one, and when it was replaced', async () => {
  const email = 'replaced@learner.example';
  const product = await offerProduct(scene, { learners: [email], codes: ['OLD-1', 'NEW-2'] });
  const { page } = await openWithCode(email, product, 'OLD-1');
  await revoke('OLD-1', true);
  await see(page, 'OLD-1');
  await page.reload();
  await see(page, 'NEW-2', /^Your code was replaced on \d+ \w+ \d{4}\.$/);
  expect(await page.getByText('OLD-1').count()).toBe(0);
});

test('R-LIFE-40: void codes: the next press gets another code, and No codes left only if there is none', async () => {
  const [first, second] = ['void-1@learner.example', 'void-2@learner.example'];
  const product = await offerProduct(scene, {
    learners: [first, second],
    codes: ['VOID-1', 'VOID-2', 'VOID-3'],
  });
  const [one, two] = [await openWithoutCode(first, product), await openWithoutCode(second, product)];
  await voidCode('VOID-1');
  await press(one.page);
  await see(one.page, 'VOID-2');
  await voidCode('VOID-3');
  await press(two.page);
  await see(two.page, 'No codes left');
  await one.page.reload();
  await see(one.page, 'VOID-2');
});

test('R-LIFE-40: expired codes: the next press gets no code of theirs', async () => {
  const [first, second] = ['past-1@learner.example', 'past-2@learner.example'];
  const product = await offerProduct(scene, { learners: [first, second] });
  await scene.admin.importCodes(product, ['PAST-1', 'PAST-2']);
  const one = await openWithCode(first, product, 'PAST-1');
  const two = await openWithoutCode(second, product);
  await expect.poll(() => expireFreeCodes(product)).toBe(0);
  await press(two.page);
  await see(two.page, 'No codes left');
  await one.page.reload();
  await see(one.page, 'PAST-1');
});

/**
 * Sets a day in the past as the last day of the free codes in the product's upload. Returns the number of codes that
 * are free afterwards.
 */
async function expireFreeCodes({ product_id }: Product): Promise<number> {
  const batches = await scene.admin.call(listBatches, {});
  const id = batches.find((batch) => batch.product_id === product_id)?.id as string;
  const { free } = await scene.admin.call(getBatch, { params: { id } });
  if (free > 0) {
    await scene.admin.call(setBatchUseBy, { params: { id }, body: { use_by: LONG_AGO, expected: free } });
  }
  return free;
}
