// Tests a learner's cards: copying a code, search and categories, and what the page of a closed benefit offers instead.
import { listCoupons, type MyProduct, type Product, revokeCoupon } from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { redeem, signIn } from './harness/api.ts';
import { arriveSignedIn, openPerson, type Person, see, seeToast, takeToast } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { recordShifts } from './harness/layout-shift.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { setStatus } from './harness/products.ts';
import { showCards } from './harness/states.ts';

const MOST_SHIFT = 0.02;
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };
const CATEGORIES = ['Writing', 'Audio', 'Design'];

const fixture = setFixture();

const cardOf = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search your benefits' });
const chip = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const readNames = (page: Page) => page.getByRole('article').getByRole('heading').allTextContents();

/** Lets home show `count` products that can be redeemed. */
async function showMany({ page }: Person, count: number): Promise<void> {
  const none = { page_title: null, header_text: null, instructions: null, terms: null, perks: null };
  const noCode = { assigned_at: null, from: null, use_by: null, coupon_code: null, ends_on: null };
  const products = Array.from(
    { length: count },
    (_product, at): MyProduct => ({
      ...{ ...none, ...noCode, product_id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}` },
      ...{
        name: `Tool ${String(at + 1).padStart(2, '0')}`,
        url: 'partner.example',
        description: 'Helps with work.',
        value: '90 €',
      },
      ...{ category: CATEGORIES[at % 3] ?? null, logo: null, shared_coupon: false, closes_on: null },
      ...{ sold_out: false, state: 'ready', unconfirmed: false },
    }),
  );
  await page.route('**/api/my/products', (route) => route.fulfill({ json: products }));
}

async function openHome(email: string, show: (person: Person) => Promise<void>): Promise<Person> {
  await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture, CLIPBOARD);
  await show(person);
  await arriveSignedIn(person, fixture, email);
  await person.page.getByRole('article').first().waitFor();
  return person;
}

test.each([1, 6, 7, 60])(
  'R-CAT-10, R-CAT-11: home with %i products has all cards, a search above six, and nothing moves',
  async (count) => {
    const { page } = await openHome(`many${count}@learner.example`, (person) => showMany(person, count));
    const listShifts = await recordShifts(page);
    await page.reload();
    await see(page, `0 of ${count} redeemed`);
    expect(await page.getByRole('article').count()).toBe(count);
    expect(await search(page).count()).toBe(count > 6 ? 1 : 0);
    expect(await chip(page, 'Audio').count()).toBe(count > 6 ? 1 : 0);
    const shift = (await listShifts()).reduce((sum, line) => sum + Number.parseFloat(line), 0);
    expect(shift).toBeLessThanOrEqual(MOST_SHIFT);
    // With few products, the address limits nothing.
    await page.goto('/?q=Tool+01&category=Writing');
    await page.getByRole('article').first().waitFor();
    expect(await page.getByRole('article').count()).toBe(count > 6 ? 1 : count);
  },
);

test('R-CAT-11, N-243: search and categories are in the address, work without a call, and say if nothing is found', async () => {
  const person = await openHome('finder@learner.example', (each) => showMany(each, 7));
  const { page } = person;
  const calls = person.countCalls('/api/my/products');
  await search(page).fill('tool 04');
  await page.waitForURL('**/?q=tool+04');
  await expect.poll(() => readNames(page)).toEqual(['Tool 04']);
  await see(page, '1 benefit found');
  await chip(page, 'Audio').click();
  await page.waitForURL('**/?q=tool+04&category=Audio');
  await see(page, 'No benefit matches your search.');
  await page.getByRole('button', { name: 'Show all benefits' }).click();
  await expect.poll(() => readNames(page)).toHaveLength(7);
  expect(new URL(page.url()).search).toBe('');
  expect(await search(page).inputValue()).toBe('');
  await chip(page, 'Audio').click();
  await expect.poll(() => readNames(page)).toEqual(['Tool 02', 'Tool 05']);
  expect(await chip(page, 'Audio').getAttribute('aria-pressed')).toBe('true');
  expect(person.countCalls('/api/my/products')).toBe(calls);
  await page.reload();
  await expect.poll(() => readNames(page)).toEqual(['Tool 02', 'Tool 05']);
  await chip(page, 'All').click();
  await expect.poll(() => readNames(page)).toHaveLength(7);
});

test('R-CAT-10, R-CAT-11: the keyboard reaches the search, then each card: first its code, then its link', async () => {
  const email = 'keys@learner.example';
  const like = await fixture.admin.addProduct({ name: 'Tool' });
  const { page } = await openHome(email, ({ page: home }) => showCards(home, [like]));
  await search(page).focus();
  const reached: (string | null)[] = [];
  for (let press = 0; press < 3; press += 1) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => document.activeElement?.textContent ?? null));
  }
  expect(reached).toEqual(['Redeem Now', 'Copy Tool', 'Redeem Now']);
});

test('R-CAT-10, R-CAT-12: cards in all states have no axe violation in both themes', async () => {
  const like = await fixture.admin.addProduct({ name: 'A tool with a name of two lines, at the least' });
  const { page } = await openHome('states@learner.example', ({ page: home }) => showCards(home, [like]));
  await expectNoDefect(page, { isInBothThemes: true });
});

test('R-CAT-11: search and categories have no axe violation in both themes', async () => {
  const { page } = await openHome('chips@learner.example', (person) => showMany(person, 7));
  await expectNoDefect(page, { isInBothThemes: true });
});

async function holdCode(email: string, code: string): Promise<{ product: Product; person: Person }> {
  const product = await offerProduct(fixture, { learners: [email], codes: [code] });
  const session = await signIn(fixture.portal, email);
  await redeem(fixture.portal.url, product.product_id, session.access_token);
  const person = await openPerson(fixture, CLIPBOARD);
  await arriveSignedIn(person, fixture, email);
  return { product, person };
}

test('R-CAT-10, N-116: a card shows the code that the learner holds, with Copy, and Redeem Now leads on', async () => {
  const { product, person } = await holdCode('copy@learner.example', 'CARD-CODE-1');
  const { page } = person;
  const card = cardOf(page, product.name);
  await see(card, 'CARD-CODE-1', /^Code issued /);
  await see(page, '1 of 1 redeemed');
  await card.getByRole('button', { name: `Copy ${product.name}`, exact: true }).click();
  await takeToast(page, 'default', 'Success!', 'Coupon code copied to clipboard');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('CARD-CODE-1');
  await card.getByRole('link', { name: /^Redeem Now/ }).click();
  await page.waitForURL(`**/product/${product.product_id}`);
});

test('R-CAT-10: a code that was revoked meanwhile is said to be withdrawn when it is copied', async () => {
  const { product, person } = await holdCode('meanwhile@learner.example', 'CARD-CODE-2');
  const { page } = person;
  const card = cardOf(page, product.name);
  await see(card, 'CARD-CODE-2');
  const coupons = await fixture.admin.call(listCoupons, {});
  const id = coupons.find(({ coupon_code }) => coupon_code === 'CARD-CODE-2')?.id ?? '';
  await fixture.admin.call(revokeCoupon, {
    params: { id },
    body: { reason: 'Used by somebody else', replace: false },
  });
  await card.getByRole('button', { name: /^Copy/ }).click();
  await seeToast(
    page,
    'destructive',
    'This code is no longer valid',
    'It was withdrawn or replaced. The card shows what applies now.',
  );
  await see(card, 'Withdrawn');
  expect(await card.getByText('CARD-CODE-2').count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('See Details');
});

test('R-CAT-20: the product page shows category, value, its own perks, and its terms closed', async () => {
  const product = await fixture.admin.addProduct({
    ...{ name: `Long ${'n'.repeat(60)}`, category: 'Writing', value: 'worth 240 €' },
    ...{ terms: 'For one year\nFor new accounts', perks: ['Unlimited drafts'] },
  });
  const { page } = await openPerson(fixture);
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('heading', { level: 1, name: product.name, exact: true }).waitFor();
  await see(page, 'Writing · worth 240 €', 'Unlimited drafts', `${product.name.slice(0, 50)}…`);
  expect(await page.getByText('5x more messages').count()).toBe(0);
  const terms = page.getByText('For new accounts');
  expect(await terms.isVisible()).toBe(false);
  await page.getByRole('main').getByText('Terms', { exact: true }).click();
  await terms.waitFor();
  await expectNoDefect(page, { isInBothThemes: true });
});

test('R-CAT-21: the page of a paused or sold out benefit shows up to three others that can be redeemed', async () => {
  const email = 'others@learner.example';
  const ready: Product[] = [];
  for (const name of ['Alpha', 'Beta', 'Gamma', 'Delta']) {
    const product = await fixture.admin.addProduct({ name });
    await fixture.admin.addCodes(product, `OTHER-${name}`);
    ready.push(product);
  }
  const paused = await fixture.admin.addProduct({ name: 'Paused one' });
  const empty = await fixture.admin.addProduct({ name: 'Empty one' });
  await fixture.admin.addLearner(email, ...ready, paused, empty);
  await setStatus(fixture, paused, 'paused');
  const person = await openPerson(fixture);
  person.allowComplaint(/409/);
  await arriveSignedIn(person, fixture, email);
  const { page } = person;
  const others = page.getByRole('region', { name: 'Other benefits you can redeem' });
  for (const { product_id } of [paused, empty]) {
    await page.goto(`/product/${product_id}`);
    await expect.poll(() => others.getByRole('link').allTextContents()).toEqual(['Alpha', 'Beta', 'Delta']);
  }
  await others.getByRole('link', { name: 'Beta' }).click();
  await page.waitForURL(`**/product/${ready[1]?.product_id}`);
  await see(page, 'OTHER-Beta');
  expect(await others.count()).toBe(0);
});
