// Shows states of products and codes that take days to come about, by changes of the responses to a page.
import type { ErrorBody, MyProduct, Product, Redemption } from '@portal/contract';
import type { Page } from 'playwright-core';

const REDEEM = '**/api/redeem-secure';
const DAY_MS = 86_400_000;
/** A day that has passed, and one that is far away. */
export const LONG_AGO = '2000-01-01';
export const FAR = '2999-12-31';

/** Returns the day in `days` days as YYYY-MM-DD. */
export function dayIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/** Home shows a product in each state, in the reverse of its order. The products have the texts of those in `like`. */
export async function showCards(
  page: Page,
  like: readonly (Pick<Product, 'name' | 'description'> & { product_id: string })[],
): Promise<void> {
  const cards = CARDS.map((state, index) => {
    const product = like[index % like.length];
    const empty = { assigned_at: null, sold_out: false, from: null, use_by: null };
    return { ...empty, ...product, ...state, product_id: `${product?.product_id}-${index}` };
  });
  await page.route('**/api/my/products', (route) => route.fulfill({ json: cards }));
}

const assigned_at = `${LONG_AGO}T12:00:00Z`;

const CARDS = [
  { state: 'revoked', assigned_at },
  { state: 'issued', assigned_at, use_by: LONG_AGO },
  { state: 'sold_out', sold_out: true },
  { state: 'paused' },
  { state: 'not_yet', from: FAR },
  { state: 'issued', assigned_at, use_by: dayIn(3) },
  { state: 'ready' },
] satisfies Partial<MyProduct>[];

/** Redemptions of the page are refused with this error code. `day`: the day that the message names. */
export async function refuseRedemptions(page: Page, code: string, day?: string): Promise<void> {
  const json: ErrorBody = { success: false, code, title: 'Title', message: 'Message', ...(day && { day }) };
  await page.route(REDEEM, (route) => route.fulfill({ status: 409, json }));
}

/** Responses to redemptions of the page have these days in place of their own. */
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
