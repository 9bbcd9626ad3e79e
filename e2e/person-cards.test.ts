// Tests the cards with the codes and the mails on the page of a person, and a note about the person.
import {
  generateCoupon,
  listCoupons,
  type Product,
  regenerateCoupon,
  revokeCoupon,
  sendCodeMail,
  sendSignInMail,
} from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';
import { wordsIn } from './harness/words.ts';

const JONAS = 'jonas@learner.example';
const EMPTY = 'wakana@learner.example';
const FIRST = 'TARN-AAAA-K5M7';
const SECOND = 'TARN-BBBB-92XF';
const REVOKED = 'VELL-CCCC-LQ27';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
const ids = new Map<string, string>();
let product: Product;

const path = (email: string) => `/admin/users/${ids.get(email)}`;
const card = (page: Page, name: 'Codes' | 'Emails' | 'Timeline') =>
  page.getByRole('region', { name, exact: true });
const row = (page: Page, hint: string) => card(page, 'Codes').getByRole('row').filter({ hasText: hint });
const mails = (page: Page) => card(page, 'Emails').getByRole('listitem');

beforeAll(async () => {
  const { admin } = fixture;
  product = await admin.addProduct({ name: 'Tarnquill' });
  const other = await admin.addProduct({ name: 'Velloquy' });
  await admin.addCodes(product, FIRST, SECOND);
  await admin.importFile(other, 'dated.csv', 'coupon_code,use_by', `${REVOKED},2099-06-30`);
  await admin.addLearner(JONAS, product, other);
  await admin.addLearner(EMPTY, product);
  for (const user of await admin.listUsers()) ids.set(user.email, user.user_id);
  const body = { email: JONAS, productId: product.product_id };
  await admin.call(generateCoupon, { body });
  await admin.call(regenerateCoupon, { body });
  await admin.giveCode(JONAS, other);
  for (const each of await admin.call(listCoupons, {})) ids.set(each.coupon_code ?? '', each.id);
  const params = { id: ids.get(REVOKED) ?? '' };
  await admin.call(revokeCoupon, { params, body: { reason: 'refund', replace: false } });
});

test('R-TRAIL-50: every code the person ever held, with its state in words, who assigned it and the ways on', async () => {
  const { page } = staff;
  await page.goto(path(JONAS));
  await see(card(page, 'Codes'), 'Every code this person ever held');
  await see(row(page, '92XF'), `Current code · Assigned by ${ADMIN_EMAIL}`, 'Assigned');
  await see(row(page, 'K5M7'), new RegExp(`^Replaced .* · Assigned by ${ADMIN_EMAIL}$`));
  await see(row(page, 'LQ27'), new RegExp(`, by ${ADMIN_EMAIL}: refund · `), 'Revoked');
  expect(await card(page, 'Codes').getByRole('row').count()).toBe(4);
  expect(
    await card(page, 'Codes')
      .getByText(/TARN-|VELL-/)
      .count(),
    // R-DAY-38: the card Access shows the current codes in full.
  ).toBe(2);

  await row(page, '92XF').getByRole('link', { name: 'Tarnquill' }).click();
  await page.waitForURL(`**/admin/products/${product.product_id}`);
  await page.goBack();
  await row(page, 'LQ27')
    .getByRole('link', { name: `Revoked: ${REVOKED}` })
    .click();
  await page.waitForURL(`**/admin/coupons/${ids.get(REVOKED)}`);
  await see(page, 'Lea Lerner');
});

test('R-IMP-42: support shows one code at a time, also a former one', async () => {
  const { page } = await openMember(fixture, 'support', 'ravi@team.example', path(JONAS));
  await row(page, 'LQ27').getByRole('button', { name: 'Show the code ending in LQ27' }).click();
  await see(card(page, 'Codes'), REVOKED);
  expect(await hasFocus(card(page, 'Codes').getByRole('button', { name: `Copy ${REVOKED}` }))).toBe(true);
  expect(await card(page, 'Codes').getByText(FIRST).count()).toBe(0);
  await page.getByRole('link', { name: `Revoked: ${REVOKED}` }).waitFor();
});

test('R-TRAIL-31: mails have their kind, state, time, who asked for them and the words of the mail server', async () => {
  const { page } = staff;
  const user_id = ids.get(JONAS) ?? '';
  const { admin, mailbox } = fixture;
  await admin.call(sendCodeMail, { params: { user_id }, body: { product_id: product.product_id } });
  await expect
    .poll(async () => {
      await page.goto(path(JONAS));
      await mails(page).first().waitFor();
      return mails(page).filter({ hasText: 'Your code for Tarnquill' }).textContent();
    })
    .toMatch(/Sent$/);
  mailbox.refused.add(JONAS);
  await admin.call(sendSignInMail, { params: { user_id } });
  const signIn = mails(page).filter({ hasText: 'Sign-in email' });
  await expect
    .poll(async () => {
      await page.goto(path(JONAS));
      await signIn.waitFor();
      return signIn.textContent();
    })
    .toMatch(/Failed$/);
  expect(await signIn.textContent()).toContain(`, by ${ADMIN_EMAIL}: 550 5.1.1 `);
  await see(card(page, 'Emails'), 'Sent: delivered to the mail server');
  expect(await page.getByText(/delivered(?! to the mail server)/i).count()).toBe(0);
});

test('R-TRAIL-50: without codes and mails the cards keep their place', async () => {
  const { page } = staff;
  await page.goto(path(EMPTY));
  await see(card(page, 'Codes'), 'No codes yet.');
  await see(card(page, 'Emails'), 'No emails yet.');
});

test('R-TRAIL-07: a note about the person is in the timeline', async () => {
  const { page } = staff;
  await page.goto(path(JONAS));
  await card(page, 'Timeline').getByRole('button', { name: 'Add note' }).click();
  await page.keyboard.type('Called back.');
  await card(page, 'Timeline').locator('form').getByRole('button', { name: 'Add note' }).click();
  await see(card(page, 'Timeline').locator('ol > li').filter({ hasText: 'Called back.' }), ADMIN_EMAIL);
});

test('C-11: phones and German show both cards', async () => {
  const t = wordsIn('de-DE');
  const person = await openPerson(fixture, { locale: 'de-DE', viewport: { width: 390, height: 844 } });
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, path(JONAS));
  await see(page, t('Every code this person ever held'), t('Sent: delivered to the mail server'));
  await see(page, t('Your code for {product}', { product: 'Tarnquill' }));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
