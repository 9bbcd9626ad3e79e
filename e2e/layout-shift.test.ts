// Tests that staff pages draw their frame at once, and that nothing moves while the rest arrives (R-DAY-61).
import { listCoupons, type Product, saveUser } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { redeem, type Session, signIn } from './harness/api.ts';
import { openPerson, storeSession } from './harness/browser.ts';
import { addCohort, addresses, cohortPath } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { paceReplies, recordShifts } from './harness/layout-shift.ts';
import { findRecord } from './harness/person-page.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const CHECK = '**/api/admin/check';
const LONG_NAME = 'Writing Assistant for Teams: Drafts, Edits and Summaries of Many Long Documents.';
const LEARNER = 'waage@learner.example';
const MOST_SHIFT = 0.02;
const WIDTHS = { phone: [390, 844], tablet: [768, 1024], desktop: [1440, 900] } as const;

const fixture = setOwnFixture();
const paths = new Map<string, string>();
let session: Session;

beforeAll(async () => {
  const { admin, portal } = fixture;
  const product = await admin.addProduct({ name: LONG_NAME });
  const others: Product[] = [];
  for (let number = 2; number <= 15; number += 1)
    others.push(await admin.addProduct({ name: `Product ${number}` }));
  const codes = Array.from({ length: 30 }, (_code, at) => `SHIFT-${100 + at}`);
  const upload = await admin.importFile(product, 'weight.csv', 'coupon_code', ...codes);
  const products = [product, ...others];
  await admin.call(saveUser, {
    body: {
      ...{ email: LEARNER, name: 'Lea Lerner', phone_number: null },
      product_ids: products.map(({ product_id }) => product_id),
    },
  });
  const learner = await signIn(portal, LEARNER);
  await redeem(portal.url, product.product_id, learner.access_token);
  const cohort = await addCohort(fixture, 'Autumn', {
    products: products.slice(0, 3),
    members: addresses(25, 'shift'),
  });
  const [{ id } = { id: '' }] = await admin.call(listCoupons, {});
  session = await signIn(portal, ADMIN_EMAIL);
  for (const [name, path] of [
    ['Lea Lerner', await findRecord(fixture, LEARNER)],
    ['Autumn', cohortPath(cohort)],
    ['weight.csv', `/admin/coupons/uploads/${upload}`],
    ['a code', `/admin/coupons/${id}`],
    [LONG_NAME, `/admin/products/${product.product_id}`],
  ] as const)
    paths.set(name, path);
});

/** Each page with its title, and the title of its last card. */
const PAGES = [
  ['/admin', 'Dashboard', 'Stock left'],
  ['/admin-login', 'Dashboard', 'Stock left'],
  ['/admin/activity', 'Dashboard', 'Activity'],
  ['/admin/products', 'Products', 'Existing Products'],
  [LONG_NAME, LONG_NAME, 'Timeline'],
  ['/admin/users', 'Users', 'Existing Users'],
  ['Lea Lerner', 'Lea Lerner', 'Timeline'],
  ['/admin/users/cohorts', 'Users', 'Existing Cohorts'],
  ['Autumn', 'Autumn', 'Timeline'],
  ['/admin/users/team', 'Users', 'Team'],
  ['/admin/coupons', 'Coupons', 'Existing Coupons'],
  ['a code', /^Code ending in /, 'Timeline'],
  ['/admin/coupons/uploads', 'Coupons', 'Uploads'],
  ['weight.csv', 'weight.csv', 'Timeline'],
  ['/admin/coupons/stock', 'Coupons', 'Coupons per product'],
] as const;

/** Waits until nothing of the page is missing. */
async function waitForAll(page: Page, title: string | RegExp, card: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  await page.getByRole('heading', { level: 2, name: card, exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  await expect.poll(() => page.locator('main [data-loading]').count()).toBe(0);
}

test.each(PAGES)(
  'R-DAY-61: %s, loaded reply by reply, shifts by 0.02 at most on phones, tablets and wide screens',
  async (name, title, card) => {
    const found: Record<string, number> = {};
    let details = '';
    for (const [size, [width, height]] of Object.entries(WIDTHS)) {
      const options = { ...storeSession(fixture.portal.url, session), viewport: { width, height } };
      const { page, context } = await openPerson(fixture, options);
      const readShifts = await recordShifts(page);
      await paceReplies(page);
      await page.goto(paths.get(name) ?? name);
      await waitForAll(page, title, card);
      const shifts = await readShifts();
      found[size] = shifts.reduce((sum, shift) => sum + Number.parseFloat(shift), 0);
      details += `\n${size}\n${shifts.join('\n')}`;
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
    expect(Math.max(...Object.values(found)), details).toBeLessThanOrEqual(MOST_SHIFT);
  },
);

test.each([
  ['/admin', 'Dashboard'],
  ['/admin/activity', 'Dashboard'],
  ['/admin/products', 'Products'],
  ['/admin/users/team', 'Users'],
  ['Lea Lerner', 'Users'],
  ['/admin/coupons/stock', 'Coupons'],
])(
  'R-DAY-61: %s has header, entries, title and empty cards in its first frame, before the role is known',
  async (name, title) => {
    const { page } = await openPerson(fixture, storeSession(fixture.portal.url, session));
    await page.addInitScript(keepFirstFrame);
    const letThrough = await holdCalls(page, CHECK);
    const asked = page.waitForRequest(CHECK);
    await page.goto(paths.get(name) ?? name);
    await asked;
    const main = page.getByRole('main');
    await main.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await expect
      .poll(() => page.evaluate('firstFrame'))
      .toEqual({
        entries: ['Dashboard', 'Products', 'Users', 'Coupons', 'Back to Website'],
        title,
        hasSkeleton: true,
        status: 'Checking access...',
      });
    // Only screen readers get the words.
    expect(await main.getByText('Checking access...').boundingBox()).toMatchObject({ width: 1, height: 1 });
    letThrough();
    await main.getByRole('heading', { level: 2 }).first().waitFor();
  },
);

/** Runs in the page, before its own scripts. Keeps what the first frame shows in which the page is not empty. */
function keepFirstFrame(): void {
  const textsOf = (selector: string) =>
    Array.from(document.querySelectorAll(selector), (element) => element.textContent.trim());
  const look = () => {
    if (!document.querySelector('#root')?.hasChildNodes()) return void requestAnimationFrame(look);
    const firstFrame = {
      entries: textsOf('header nav a'),
      title: textsOf('main h1').join(),
      hasSkeleton: document.querySelector('main [data-loading]') !== null,
      status: textsOf('main [role=status]').join(),
    };
    Object.assign(window, { firstFrame });
  };
  requestAnimationFrame(look);
}
