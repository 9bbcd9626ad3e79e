// Opens a product page as a learner, and reads and presses the ticket on it.
import type { Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { arriveSignedIn, openPerson, type Person, see } from './browser.ts';
import type { Fixture } from './fixture.ts';

const REDEEM = '**/api/redeem-secure';
const BRITISH = { locale: 'en-GB' };

export const ticketOf = (page: Page) => page.getByRole('region', { name: 'Your coupon' });
export const redeemButton = (page: Page) => ticketOf(page).getByRole('button', { name: 'Redeem Now' });
const toasts = (page: Page) =>
  page.getByRole('region', { name: 'Notifications (F8)' }).locator('[data-variant]');

/**
 * Aborts the automatic redemption of the next page load, so that the page shows the button 'Redeem Now' instead of a
 * code.
 */
async function abortRedemption(page: Page): Promise<void> {
  await page.route(REDEEM, (route) => route.abort(), { times: 1 });
}

/** Opens the product page as this learner, whose browser then shows no code. See `abortRedemption`. */
export async function openWithoutCode(fixture: Fixture, email: string, product: Product): Promise<Person> {
  const person = await openPerson(fixture, BRITISH);
  person.allowComplaint(/ERR_FAILED|403|409/);
  await abortRedemption(person.page);
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(person.page, 'Error');
  return person;
}

/** Reloads the page, again without a code. */
export async function reloadWithoutCode(page: Page): Promise<void> {
  await abortRedemption(page);
  await page.reload();
  await see(page, 'Error');
}

/** Opens the product page in a second tab of the person, without a code. */
export async function openTabWithoutCode(person: Person, { product_id }: Product): Promise<Page> {
  person.allowComplaint(/ERR_FAILED|409/);
  const tab = await person.openTab();
  await abortRedemption(tab);
  await tab.goto(`/product/${product_id}`);
  await see(tab, 'Error');
  return tab;
}

export async function openWithCode(
  fixture: Fixture,
  email: string,
  product: Product,
  code: string,
): Promise<Person> {
  const person = await openPerson(fixture, BRITISH);
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(person.page, code);
  return person;
}

/** Presses the button 'Redeem Now' with the keyboard. */
export async function press(page: Page): Promise<void> {
  await redeemButton(page).focus();
  await page.keyboard.press('Enter');
}

/** Checks that the ticket shows this heading and sentence instead of a code, and has no button. */
export async function expectState(page: Page, title: string, message: string): Promise<void> {
  await ticketOf(page).getByRole('heading', { name: title, exact: true }).waitFor();
  const note = () => ticketOf(page).locator('h2 + p').textContent();
  // A day may have non-breaking spaces.
  await expect.poll(async () => (await note())?.replaceAll('\u00a0', ' ')).toBe(message);
  expect(await ticketOf(page).getByRole('button').count()).toBe(0);
  expect(await toasts(page).count()).toBe(0);
}

/** Returns today as the ticket shows it. The portal's time zone is UTC. */
export function sayToday(): string {
  const today = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return new Date().toLocaleDateString(BRITISH.locale, today);
}
