// Shows a page with products and codes in states that would take days to reach, such as an expired code. Changes the
// server's responses to the page for this.
import type { ErrorBody, MyProduct, Product, Redemption } from '@portal/contract';
import type { Page } from 'playwright-core';

const REDEEM = '**/api/redeem-secure';
const DAY_MS = 86_400_000;
/** A day in the past, and a day far in the future. */
export const LONG_AGO = '2000-01-01';
export const FAR = '2999-12-31';

/** Returns the day that is `days` days after today, as YYYY-MM-DD. */
export function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Changes the list of the learner's products: home then shows one product in each state. The products have the
 * names and descriptions of the products in `like`. `past` and `later` are the days on the cards.
 */
export async function showCards(
  page: Page,
  like: readonly (Pick<Product, 'name' | 'description'> & { product_id: string })[],
  { past, later }: { past: string; later: string } = { past: LONG_AGO, later: FAR },
): Promise<void> {
  const assigned_at = `${past}T12:00:00Z`;
  const states = [
    { state: 'revoked', assigned_at },
    { state: 'issued', assigned_at, use_by: past },
    { state: 'sold_out', sold_out: true },
    { state: 'paused' },
    { state: 'not_yet', from: later },
    { state: 'issued', assigned_at, use_by: dayIn(3), coupon_code: 'CARD-1234' },
    { state: 'ready', ends_on: dayIn(9) },
  ] satisfies Partial<MyProduct>[];
  // The order of the server (R-CAT-11).
  states.reverse();
  const cards = states.map((state, index) => {
    const product = like[index % like.length];
    const empty = {
      ...{ assigned_at: null, sold_out: false, from: null, use_by: null, unconfirmed: false },
      ...{
        category: null,
        value: null,
        terms: null,
        perks: null,
        logo: null,
        coupon_code: null,
        ends_on: null,
      },
    };
    return { ...empty, ...product, ...state, product_id: `${product?.product_id}-${index}` };
  });
  await page.route('**/api/my/products', (route) => route.fulfill({ json: cards }));
}

/**
 * Makes each redemption on the page fail with the error code `code`. `day` is the day that the page names in its
 * message.
 */
export async function refuseRedemptions(page: Page, code: string, day?: string): Promise<void> {
  const json: ErrorBody = { success: false, code, title: 'Title', message: 'Message', ...(day && { day }) };
  await page.route(REDEEM, (route) => route.fulfill({ status: 409, json }));
}

/** Replaces days in the responses to redemptions on the page by those in `days`. */
export async function changeDays(
  page: Page,
  days: Partial<Pick<Redemption, 'use_by' | 'replaced_on'>>,
): Promise<void> {
  await page.unroute(REDEEM);
  await page.route(REDEEM, async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), ...days } });
  });
}
