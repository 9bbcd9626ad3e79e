// Tests a visitor's ticket of a paused, archived, ended or not yet open product, and the last day on a learner's ticket.
import type { Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { edit, setStatus } from './harness/products.ts';
import { changeDays, dayIn, FAR, LONG_AGO } from './harness/states.ts';

const BRITISH = { locale: 'en-GB' };

const fixture = setFixture();

const ticketOf = (page: Page) => page.getByRole('region', { name: 'Your coupon' });

test.each([
  ['paused', 'Paused', (product: Product) => setStatus(fixture, product, 'paused')],
  ['archived', 'This offer has ended', (product: Product) => setStatus(fixture, product, 'archived')],
  ['ended', 'This offer has ended', (product: Product) => edit(fixture, product, { closes_on: LONG_AGO })],
  ['scheduled', 'Not open yet', (product: Product) => edit(fixture, product, { opens_on: FAR })],
] as const)(
  'N-101: a visitor on a product that is %s reads that in the pre-rendered page, and finds no button',
  async (_status, title, act) => {
    const product = await offerProduct(fixture, {});
    await act(product);
    const path = `/product/${product.product_id}`;
    const withoutScript = await openPerson(fixture, { ...BRITISH, javaScriptEnabled: false });
    await withoutScript.page.goto(path);
    await ticketOf(withoutScript.page).getByRole('heading', { name: title }).waitFor();
    const { page } = await openPerson(fixture, BRITISH);
    await page.goto(path);
    if (title === 'Not open yet') await see(page, 'Redeeming opens on 31 Dec 2999.', 'From 31 Dec 2999');
    await page.getByRole('banner').getByRole('button', { name: 'Login' }).waitFor();
    await ticketOf(page).getByRole('heading', { name: title }).waitFor();
    expect(await ticketOf(page).getByRole('button').count()).toBe(0);
  },
);

test('N-103: the ticket shows the last day of a code, emphasises it in the last week, and keeps the code after it', async () => {
  const email = 'lastday@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['LASTDAY-1'] });
  const person = await openPerson(fixture, BRITISH);
  const { page } = person;
  await changeDays(page, { use_by: FAR });
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  const day = ticketOf(page).getByText(/Use by /);
  await see(page, 'LASTDAY-1', 'Coupon code · Single use · Use by 31 Dec 2999');
  await see(page, "This code can only be used once. Visit the provider's website to redeem your offer.");
  expect(await day.locator('svg').count()).toBe(0);
  await changeDays(page, { use_by: dayIn(3) });
  await page.reload();
  await see(page, 'LASTDAY-1');
  expect(await day.locator('svg').count()).toBe(1);
  await changeDays(page, { use_by: LONG_AGO });
  await page.reload();
  await see(page, 'LASTDAY-1', 'The last day of this code was 1 Jan 2000.');
  expect(await day.count()).toBe(0);
  expect(await page.getByText(/^This code can only be used once/).count()).toBe(0);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await see(page, 'Copied');
  await page.getByRole('link', { name: 'Visit Site To Redeem' }).waitFor();
});
