// Tests the dialog on the page of a free code that gives the code to a person (R-DAY-32).
import { listCoupons, type Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, see, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { dayIn } from './harness/states.ts';
import { openMember } from './harness/team.ts';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
let product: Product;
const ids = new Map<string, string>();

beforeAll(async () => {
  const { admin } = fixture;
  product = await admin.addProduct({ name: 'Sendquill' });
  const shared = await admin.addProduct({ name: 'Sharequill', shared_coupon: true });
  await admin.addCodes(product, 'SEND-AAAA-0001', 'SEND-AAAA-0002', 'SEND-AAAA-0003');
  await admin.addCodes(shared, 'SHARED-1');
  for (const name of ['ann', 'cleo']) await admin.addLearner(`${name}@sent.example`, product);
  for (const name of ['ben', 'dan']) await admin.addLearner(`${name}@sent.example`, shared);
  await admin.giveAccess('dan@sent.example', product, { starts_on: dayIn(10) });
  await admin.giveCode('cleo@sent.example', product);
  for (const row of await admin.call(listCoupons, {})) ids.set(row.coupon_code ?? '', row.id);
});

const dialogOf = (page: Page) => page.getByRole('dialog');
const send = (page: Page) => dialogOf(page).getByRole('button', { name: 'Send code' });
const field = (page: Page) => dialogOf(page).getByLabel('Search by name or email');

async function open(page: Page, code: string): Promise<void> {
  await page.goto(`/admin/coupons/${ids.get(code)}`);
  await page.getByRole('button', { name: 'Send to …' }).click();
}

test('R-DAY-32: staff search a person, read why not, choose another one, and give the code', async () => {
  const { page } = staff;
  await open(page, 'SEND-AAAA-0003');
  await expect.poll(() => hasFocus(field(page))).toBe(true);
  await field(page).fill('nobody');
  await see(dialogOf(page), 'Nobody found for ‘nobody’');
  await field(page).fill('sent');
  await expect.poll(() => dialogOf(page).getByRole('radio').count()).toBe(4);
  expect(await send(page).isDisabled()).toBe(true);
  for (const [email, words] of [
    ['ben@sent.example', 'No grant names this product, for this person or any of their cohorts.'],
    ['cleo@sent.example', /^Holds a code since .+\.$/],
    ['dan@sent.example', /^Access begins on .+, given directly by .+\.$/],
  ] as const) {
    await dialogOf(page).getByText(email, { exact: true }).click();
    await dialogOf(page).getByRole('status').getByText(words).waitFor();
    expect(await send(page).isDisabled(), email).toBe(true);
  }
  await dialogOf(page).getByText('ann@sent.example', { exact: true }).click();
  await dialogOf(page)
    .getByRole('status')
    .getByText(/^Can redeem now, given directly by .+\.$/)
    .waitFor();
  await send(page).click();
  await takeToast(page, 'default', 'Success', 'Code given to ann@sent.example: SEND-AAAA-0003');
  await see(page, 'The product page shows this code to its holder.');
  await page.getByText(/was sent a code \(/i).waitFor();
  expect(await page.getByRole('button', { name: 'Send to …' }).count()).toBe(0);
  expect(await fixture.admin.listAssignedCodes(product)).toContain('SEND-AAAA-0003 ann@sent.example');
});

test('R-DAY-32: a refusal of the server stays in the dialog, and the page then shows who holds the code', async () => {
  const { page } = staff;
  staff.allowComplaint(/409/);
  await fixture.admin.addLearner('eve@sent.example', product);
  await fixture.admin.addLearner('fay@sent.example', product);
  await open(page, 'SEND-AAAA-0002');
  await field(page).fill('eve@sent.example');
  await dialogOf(page).getByRole('radio').check();
  await dialogOf(page)
    .getByRole('status')
    .getByText(/^Can redeem now/)
    .waitFor();
  await fixture.admin.giveCode('fay@sent.example', product);
  await send(page).click();
  await takeToast(page, 'destructive', 'Error', 'Somebody holds this code already.');
  await page.keyboard.press('Escape');
  await see(page, 'The product page shows this code to its holder.');
});

test('R-DAY-32: support may send a code; a shared code is sent to nobody', async () => {
  await fixture.admin.addCodes(product, 'SEND-AAAA-0004');
  for (const row of await fixture.admin.call(listCoupons, {})) ids.set(row.coupon_code ?? '', row.id);
  const path = (code: string) => `/admin/coupons/${ids.get(code)}`;
  const { page } = await openMember(fixture, 'support', 'sends@provider.example', path('SEND-AAAA-0004'));
  await page.getByRole('button', { name: 'Send to …' }).waitFor();
  await staff.page.goto(path('SHARED-1'));
  await staff.page.getByRole('button', { name: 'Make void' }).waitFor();
  expect(await staff.page.getByRole('button', { name: 'Send to …' }).count()).toBe(0);
});
