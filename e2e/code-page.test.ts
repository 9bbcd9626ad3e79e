// Tests the page of one code: its facts in each state, the hidden code, the links, and who may see it.
import { generateCoupon, listCoupons, type Product, revokeCoupon, voidCoupon } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';
import { wordsIn } from './harness/words.ts';

const HOLDER = 'hilda@learner.example';
const OTHER = 'otto@learner.example';
const HELD = 'TARN-AAAA-K5M7';
const NEWER = 'TARN-BBBB-92XF';
const REVOKED = 'TARN-CCCC-LQ27';
const VOID = 'TARN-DDDD-8KQE';
const FREE = 'TARN-EEEE-6CB2';
const TYPED = 'ABC-12';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
const ids = new Map<string, string>();
let product: Product;
let upload: string;

const path = (code: string) => `/admin/coupons/${ids.get(code)}`;
const fact = (page: Page, label: string) =>
  page
    .getByRole('main')
    .locator('dl > div')
    .filter({ has: page.locator('dt').getByText(label, { exact: true }) })
    .locator('dd');
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function openCode(page: Page, code: string): Promise<void> {
  await page.goto(path(code));
  await page.getByRole('heading', { level: 2, name: 'About this code' }).waitFor();
}

beforeAll(async () => {
  const { admin } = fixture;
  product = await admin.addProduct({ name: 'Tarnquill' });
  const lines = [HELD, NEWER, REVOKED, VOID, FREE].map(
    (code) => `${code},${code === VOID ? '' : '2099-06-30'}`,
  );
  upload = await admin.importFile(product, 'autumn.csv', 'coupon_code,use_by', ...lines);
  await admin.addCodes(product, TYPED);
  for (const email of [HOLDER, OTHER]) await admin.addLearner(email, product);
  const give = (email: string) =>
    admin.call(generateCoupon, { body: { email, productId: product.product_id } });
  const { coupon } = await give(HOLDER);
  expect(coupon.coupon_code).toBe(HELD);
  for (const row of await admin.call(listCoupons, {})) ids.set(row.coupon_code ?? '', row.id);
  const idOf = (code: string) => ({ id: ids.get(code) ?? '' });
  const reason = 'partner says used';
  await admin.call(revokeCoupon, { params: idOf(HELD), body: { reason, replace: true } });
  await give(OTHER);
  await admin.call(revokeCoupon, { params: idOf(REVOKED), body: { reason: 'refund' } });
  await admin.call(voidCoupon, { params: idOf(VOID), body: { reason: 'mistake', note: null } });
});

test('R-TRAIL-06, R-TRAIL-52: a free code: product, upload and last day, and nobody who holds it', async () => {
  const { page } = staff;
  await openCode(page, FREE);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Code ending in 6CB2');
  expect(await page.title()).toContain('Code ending in 6CB2 · Admin');
  expect(await fact(page, 'Last day').textContent()).toBe('Jun 30, 2099');
  expect(await fact(page, 'Added').textContent()).toContain(`by ${ADMIN_EMAIL}`);
  await see(card(page, 'Holder'), 'Nobody holds this code. It is in the pool of its product.');
  expect(await card(page, 'Holder').getByRole('link').count()).toBe(0);
  const nav = page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Coupons' });
  expect(await nav.getAttribute('aria-current')).toBe('page');

  await fact(page, 'Upload').getByRole('link', { name: 'autumn.csv' }).click();
  await page.waitForURL(`**/admin/coupons/uploads/${upload}`);
  await page.goBack();
  await fact(page, 'Product').getByRole('link', { name: 'Tarnquill' }).click();
  await page.waitForURL(`**/admin/products/${product.product_id}`);
  await page.goBack();
  await page.getByRole('main').getByRole('link', { name: 'Codes', exact: true }).click();
  await page.waitForURL('**/admin/coupons');
});

test('R-TRAIL-06: a held code: the holder with the way to the record, when and by whom it was assigned', async () => {
  const { page } = staff;
  await openCode(page, NEWER);
  const holder = card(page, 'Holder');
  await see(holder, 'The product page shows this code to its holder.', HOLDER);
  expect(await fact(page, 'Assigned').textContent()).toContain(`by ${ADMIN_EMAIL}`);
  const person = holder.getByRole('link', { name: 'Lea Lerner' });
  expect(await person.getAttribute('href')).toMatch(/^\/admin\/users\/[-0-9a-f]{36}$/);
  const view = holder.getByRole('link', { name: 'View as learner' });
  expect(await view.getAttribute('href')).toMatch(/^\/admin\/view-as\/[-0-9a-f]{36}$/);
  // The holder comes first. After the code below the title, the most common action is the first button.
  const headings = page.getByRole('main').getByRole('heading', { level: 2 });
  expect(await headings.allTextContents()).toEqual(['Holder', 'About this code', 'Timeline']);
  const actions = page.getByRole('main').getByRole('button');
  expect((await actions.allTextContents()).slice(0, 2)).toEqual(['Show', 'Replace code']);
});

test('R-TRAIL-06: a revoked code, replaced or not, says who took it back, when and why', async () => {
  const { page } = staff;
  for (const [code, reason] of [
    [HELD, 'partner says used'],
    [REVOKED, 'refund'],
  ] as const) {
    await openCode(page, code);
    const holder = card(page, 'Former holder');
    await see(holder, reason, 'Lea Lerner');
    // The holder does not see the code any more.
    expect(await holder.getByRole('link', { name: 'View as learner' }).count()).toBe(0);
    await see(page, 'The code was taken back. Its former holder does not see it any more.');
    expect(await fact(page, 'Revoked').textContent()).toContain(`by ${ADMIN_EMAIL}`);
  }
});

test('R-TRAIL-06: a held code that is not the current one says that another code took its place', async () => {
  const { page } = staff;
  await page.route(`**/api/admin/coupons/${ids.get(NEWER)}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), current: false } });
  });
  await openCode(page, NEWER);
  await see(
    page,
    'Its holder has got another code of this product since. The product page shows the other code.',
  );
});

test('R-TRAIL-06: a void code says why; a code entered in the form has no upload; a short code has no hint', async () => {
  const { page } = staff;
  await openCode(page, VOID);
  await see(card(page, 'Holder'), 'Nobody holds this code. It will not be handed out.', 'a mistake');
  expect(await fact(page, 'Made void').textContent()).toContain(`by ${ADMIN_EMAIL}`);
  expect(await fact(page, 'Last day').textContent()).toBe('None');

  await openCode(page, TYPED);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Code of Tarnquill');
  expect(await fact(page, 'Upload').textContent()).toBe('None: entered in the form');
});

test('R-IMP-42, R-TRAIL-52, R-DAY-38: Show reveals the code by keyboard; the timeline then says so; leaving hides the code', async () => {
  const { page } = staff;
  await openCode(page, NEWER);
  expect(await page.getByText(NEWER).count()).toBe(0);
  const show = page.getByRole('button', { name: 'Show the code ending in 92XF' });
  await page.getByRole('link', { name: 'Codes', exact: true }).focus();
  await tabTo(page, show);
  await page.keyboard.press('Enter');
  await see(page, NEWER);
  expect(await hasFocus(page.getByRole('button', { name: `Copy ${NEWER}` }))).toBe(true);
  // A dialog does not hide the code that the page shows (R-DAY-38).
  await page.getByRole('button', { name: 'Replace code' }).click();
  await see(page.getByRole('dialog'), NEWER);
  expect(await page.getByText('••••92XF', { exact: true }).count()).toBe(0);
  await page.keyboard.press('Escape');
  const timeline = card(page, 'Timeline');
  await timeline.getByRole('button', { name: 'Refresh' }).click();
  await see(timeline, 'code shown (…92XF)');
  await see(timeline, /^code replaced by .*partner says used/);
  await page.reload();
  await show.waitFor();
  expect(await page.getByText(NEWER).count()).toBe(0);
});

test('R-TRAIL-52: the status in the list of codes and a code in the log lead to the page', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons');
  await page.getByRole('link', { name: `Available: ${FREE}` }).click();
  await page.waitForURL(`**${path(FREE)}`);
  await page.goto(`/admin/activity?what=codes&product=${product.product_id}`);
  const voided = page.getByRole('main').locator('ol > li').filter({ hasText: 'code voided' });
  expect(await voided.getByRole('link').getAttribute('href')).not.toBeNull();
});

test('support sees the page, and the code only if somebody holds or held it; a viewer does not', async () => {
  const support = await openMember(fixture, 'support', 'ravi@team.example', path(REVOKED));
  await see(support.page, 'refund');
  await support.page.getByRole('button', { name: 'Show the code ending in LQ27' }).waitFor();
  await openCode(support.page, FREE);
  expect(await fact(support.page, 'Code').getByRole('button').count()).toBe(0);

  const viewer = await openMember(fixture, 'viewer', 'hanne@team.example', path(FREE));
  await see(viewer.page, 'Nothing here for your role.');
  expect(viewer.countCalls(`/api/admin/coupons/${ids.get(FREE)}`)).toBe(0);
});

test('an unknown id is the not-found page; uploads keep their address', async () => {
  const { page } = staff;
  staff.allowComplaint(/404/);
  for (const id of ['999999', 'abc', '-1', '1e3', '99999999999999999999999', '%27']) {
    await page.goto(`/admin/coupons/${id}`);
    await page.getByRole('heading', { level: 1, name: '404 Page Not Found' }).waitFor();
  }
  await page.goto('/admin/coupons/uploads');
  await page.getByRole('heading', { level: 2, name: 'Uploads' }).waitFor();
});

test('a page that could not be loaded offers to try again', async () => {
  const { page } = staff;
  staff.allowComplaint(/500/);
  const address = `**/api/admin/coupons/${ids.get(FREE)}`;
  await page.route(address, (route) => route.fulfill({ status: 500, json: { message: 'x' } }));
  await page.goto(path(FREE));
  await see(page, /^We could not load the code\./);
  await page.unroute(address);
  await page.getByRole('button', { name: 'Try again' }).click();
  await see(page, 'About this code');
});

test('C-11: phones and German show all facts', async () => {
  const t = wordsIn('de-DE');
  const person = await openPerson(fixture, { locale: 'de-DE', viewport: { width: 390, height: 844 } });
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, path(REVOKED));
  await see(page, t('About this code'), t('Former holder'), t('Reason'), 'refund');
  await see(page, t('Code ending in {hint}').replace('{hint}', 'LQ27'));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});
