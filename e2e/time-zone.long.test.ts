// Tests that staff pages show days and times in the portal's time zone, whatever zone the browser has (R-MAP-40).
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { signIn } from './harness/api.ts';
import { openPerson, storeSession } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const ZONE = 'Asia/Kolkata';
const BROWSERS = ['Pacific/Kiritimati', 'America/Los_Angeles', 'UTC'];
const JONAS = 'jonas@learner.example';

const fixture = setOwnFixture({ TIME_ZONE: ZONE });
let session: ReturnType<typeof storeSession>;
let paths: string[];

beforeAll(async () => {
  const { admin, portal } = fixture;
  const product = await admin.addProduct({ name: 'Tarnquill' });
  const upload = await admin.importFile(
    product,
    'autumn.csv',
    'coupon_code',
    'TARN-AAAA-K5M7',
    'TARN-BBBB-92XF',
  );
  await admin.addLearner(JONAS, product);
  await admin.giveCode(JONAS, product);
  const codes = await admin.listCodes(product);
  const code = codes.find(({ email }) => email === JONAS);
  session = storeSession(portal.url, await signIn(portal, ADMIN_EMAIL));
  paths = [
    ...[
      '/admin',
      '/admin/activity',
      '/admin/users',
      '/admin/users/team',
      '/admin/coupons',
      '/admin/coupons/uploads',
    ],
    ...[`/admin/coupons/uploads/${upload}`, `/admin/coupons/${code?.id}`],
    `/admin/products/${product.product_id}`,
  ];
});

const openIn = (timezoneId: string) => openPerson(fixture, { ...session, timezoneId, locale: 'en-GB' });

/** The texts of the pages, without the time at which the page was loaded, and the forecast, which comes later. */
async function readPages(page: Page): Promise<string[]> {
  const texts: string[] = [];
  for (const path of paths) {
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    texts.push(
      `${await page.getByRole('main').textContent()}`.replaceAll(
        /As of \d\d:\d\d|too few redemptions to say/g,
        '',
      ),
    );
  }
  return texts;
}

test('R-MAP-40: browsers in four zones show the same days and times', async () => {
  const { page } = await openIn(ZONE);
  const expected = await readPages(page);
  const times = expected.join('\n').match(/\b\d\d:\d\d\b/g) ?? [];
  expect(times.length).toBeGreaterThan(10);
  const at = await page
    .goto('/admin/activity')
    .then(() => page.locator('time').first().getAttribute('datetime'));
  const inZone = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: ZONE });
  expect(await page.locator('time').first().textContent()).toContain(inZone.format(new Date(`${at}`)));
  for (const zone of BROWSERS) {
    const other = await openIn(zone);
    const texts = await readPages(other.page);
    for (const [index, path] of paths.entries())
      expect(texts[index], `${path} in ${zone}`).toBe(expected[index]);
  }
});

test('R-MAP-40: the menu of the account names the zone if the browser has another one', async () => {
  const words = `Times are in ${ZONE}`;
  for (const zone of [ZONE, ...BROWSERS]) {
    const { page } = await openIn(zone);
    await page.goto('/admin');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: /^Your name/ }).waitFor();
    expect(await page.getByText(words).count(), zone).toBe(zone === ZONE ? 0 : 1);
  }
});
