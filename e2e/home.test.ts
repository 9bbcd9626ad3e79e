// Tests the exact texts of home for visitors, for learners with products and for learners without products.
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { showCards } from './harness/states.ts';

const SUPPORT = 'support@example.org';
const LANDING = ['/', '/accelerator', '/fellowship'];
const COHORT = 'Sorry. You do not have access to any tools. Please reach out to your cohort manager';

const fixture = setFixture();

test('R-HOME-01, R-HOME-02, R-HOME-03, R-HOME-04, R-HOME-05, R-HOME-06, R-HOME-07, R-HOME-19: a visitor sees the headline, the login button and three steps, and neither grid nor empty state', async () => {
  const { page } = await openPerson(fixture);
  await page.goto('/');
  await page.getByRole('heading', { level: 1, name: 'Your course comes with benefits.' }).waitFor();
  await see(page, /^Partner benefits are part of your programme\./);
  expect(await page.getByRole('main').getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/Log in\s+Use the same email you registered with\./),
    expect.stringMatching(/Browse offers and redeem/),
    expect.stringMatching(/Activate\s+Follow the partner’s instructions/),
  ]);
  expect(await page.getByText(/Your Partner Benefits|No tools on this account/).count()).toBe(0);
  await page.getByRole('button', { name: 'Login to redeem your coupons', exact: true }).click();
  await page.getByRole('dialog', { name: 'Sign In to Redeem', exact: true }).waitFor();
});

test('the link to home opens home, and on home it adds no history entry', async () => {
  const { page } = await openPerson(fixture);
  await page.goto('/admin-login');
  const wayHome = page.getByRole('banner').getByRole('link');
  await wayHome.click();
  await see(page, /^Partner benefits are part of your programme\./);
  await wayHome.click();
  await wayHome.click();
  await page.goBack();
  await see(page, 'Admin sign-in');
});

test('R-GEN-02, R-GEN-03, R-HOME-08, R-HOME-09, R-HOME-10, R-HOME-11, R-HOME-12, R-HOME-13: a learner sees only the products of their address: one card each, shortened to 120 characters, with a link to its page', async () => {
  const email = 'gina@learner.example';
  const mine = await fixture.admin.addProduct({ name: 'Mine', description: 'd'.repeat(121) });
  const whole = await fixture.admin.addProduct({ name: 'Mine too', description: 'e'.repeat(120) });
  const other = await offerProduct(fixture, { learners: ['other@learner.example'] });
  await fixture.admin.addCodes(mine, 'MINE-1');
  await fixture.admin.addCodes(whole, 'MINE-2');
  await fixture.admin.addLearner(email, mine, whole);
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, email);
  const { page } = person;
  await page.getByRole('heading', { level: 1, name: 'Your Partner Benefits', exact: true }).waitFor();
  await see(page, 'Mine', `${'d'.repeat(120)}…`, 'Mine too', 'e'.repeat(120));
  expect(await page.getByRole('article').count()).toBe(2);
  expect(await page.getByText(other.name, { exact: true }).count()).toBe(0);
  for (const product of [mine, whole]) {
    const card = page.getByRole('article').filter({ has: page.getByText(product.name, { exact: true }) });
    // Each link has a different accessible name, so that users of screen readers can tell the links apart.
    const link = card.getByRole('link', { name: `Redeem Now ${product.name}`, exact: true });
    expect(await link.getAttribute('href')).toBe(`/product/${product.product_id}`);
  }
  await page.getByRole('link', { name: 'Redeem Now' }).first().click();
  await page.waitForURL('**/product/*');
});

test('R-GEN-04: a learner takes one code for each product of theirs', async () => {
  const email = 'zoe@learner.example';
  const products = [
    await offerProduct(fixture, { codes: ['EACH-1'] }),
    await offerProduct(fixture, { codes: ['EACH-2'] }),
  ];
  await fixture.admin.addLearner(email, ...products);
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, email);
  for (const [index, product] of products.entries()) {
    await person.page.goto(`/product/${product.product_id}`);
    await see(person.page, `EACH-${index + 1}`);
    expect(await fixture.admin.listAssignedCodes(product)).toEqual([`EACH-${index + 1} ${email}`]);
  }
});

test('R-HOME-14: a spinner turns while the products load', async () => {
  const email = 'sven@learner.example';
  const product = await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture);
  const { page } = person;
  const letThrough = await holdCalls(page, '**/api/my/products');
  await arriveSignedIn(person, fixture, email);
  const status = page.getByRole('main').getByRole('status').filter({ hasText: 'Loading your benefits' });
  await status.locator('[data-turns]').waitFor();
  letThrough();
  await see(page, product.name);
  await status.waitFor({ state: 'detached' });
});

test('R-HOME-15, R-HOME-16, R-HOME-17, R-HOME-18: a learner without products reads what to do, depending on the landing page', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, 'nina@stranger.example');
  const address = page.getByRole('main').getByRole('link', { name: SUPPORT });
  await address.waitFor();
  expect(await address.getAttribute('href')).toBe(`mailto:${SUPPORT}`);
  await see(page, /write to us at/);
  await page.goto('/accelerator');
  await see(page, 'You do not have access to any tools yet');
  const call = page.getByRole('link', { name: /^Book an Onboarding Call / });
  expect(await call.getAttribute('href')).toBe('https://example.org/onboarding-call');
  expect(await call.getAttribute('target')).toBe('_blank');
  await page.goto('/fellowship');
  await see(page, COHORT);
});

test('a learner without products sees their full address and may use another account', async () => {
  const person = await openPerson(fixture, { viewport: { width: 320, height: 640 } });
  const email = `${'very.long.'.repeat(5)}name@stranger.example`;
  await arriveSignedIn(person, fixture, email);
  const main = person.page.getByRole('main');
  const words = main.getByText(`Signed in as ${email}. Wrong account?`, { exact: true });
  await words.waitFor();
  expect(await words.evaluate((element) => element.getClientRects().length)).toBeGreaterThan(1);
  await main.getByRole('button', { name: 'Use another address' }).click();
  await person.page.getByRole('dialog', { name: 'Sign In to Redeem' }).getByRole('textbox').waitFor();
});

test('R-ROUTE-01, R-ROUTE-02, R-ROUTE-03, R-ROUTE-04: the three landing pages differ only in the text for learners without products', async () => {
  const email = 'tria@learner.example';
  await offerProduct(fixture, { learners: [email] });
  const [visitor, learner, stranger] = [
    await openPerson(fixture),
    await openPerson(fixture),
    await openPerson(fixture),
  ];
  await arriveSignedIn(learner, fixture, email);
  await arriveSignedIn(stranger, fixture, 'tom@stranger.example');
  const read = async ({ page }: typeof visitor) => {
    const texts = new Set<string>();
    for (const path of LANDING) {
      await page.goto(path);
      await page
        .getByRole('main')
        .getByRole('heading', { level: 2 })
        .or(page.getByText(COHORT))
        .first()
        .waitFor();
      await page.getByRole('banner').getByRole('button').waitFor();
      texts.add(await page.locator('#root').ariaSnapshot());
    }
    return texts.size;
  };
  expect({
    visitor: await read(visitor),
    learner: await read(learner),
    stranger: await read(stranger),
  }).toEqual({
    visitor: 1,
    learner: 1,
    stranger: 3,
  });
});

test('R-LIFE-35, R-CAT-10, R-CAT-12, N-102, N-116: cards have a tag for their state, an order and an action', async () => {
  const email = 'cards@learner.example';
  const product = await offerProduct(fixture, { learners: [email] });
  const person = await openPerson(fixture, { locale: 'en-GB' });
  const { page } = person;
  await showCards(page, [product]);
  await arriveSignedIn(person, fixture, email);
  await see(page, '2 of 7 redeemed');
  const cards = await page.getByRole('article').all();
  const texts = await Promise.all(
    cards.map(async (card) => [
      ...(await card.locator('[id^=status] > *').allTextContents()),
      (await card.getByRole('link').textContent())?.trim(),
    ]),
  );
  expect(texts).toEqual([
    [expect.stringMatching(/^Ends \d/), 'Redeem Now'],
    ['Code issued 1 Jan 2000', expect.stringMatching(/^Use by \d/), 'Redeem Now'],
    ['From 31 Dec 2999', 'See Details'],
    ['Paused', 'See Details'],
    ['Sold out', 'See Details'],
    ['Withdrawn', 'See Details'],
    ['Expired 1 Jan 2000', 'See Details'],
  ]);
});
