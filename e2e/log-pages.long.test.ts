// Checks the page 'Activity' and the timelines for accessibility and layout defects: in English in both themes, and in
// German.
import { importUsers, setProductStatus } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { wordsIn } from './harness/words.ts';

const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(3);
const LEARNER = `${'a-long-address-'.repeat(3)}@learner.example`;

const fixture = setOwnFixture();
let record: string;
let upload: string;

beforeAll(async () => {
  const { admin } = fixture;
  const product = await admin.addProduct({ name: `Tarnquill ${LONG}` });
  record = `/admin/products/${product.product_id}`;
  upload = await admin.importFile(product, `${LONG}.csv`, 'coupon_code', 'LONG-AAAA-K5M7', 'LONG-BBBB-92XF');
  await admin.addLearner(LEARNER, product);
  await admin.giveCode(LEARNER, product);
  const people = [1, 2, 3].map((at) => `${at}-${LEARNER},${LONG}`);
  const csvData = `email,name\n${people.join('\n')}\n`;
  const body = { csvData, file_name: `${LONG}.csv`, product_ids: [product.product_id] };
  await admin.call(importUsers, { body });
  const params = { id: product.product_id };
  await admin.call(setProductStatus, { params, body: { status: 'paused', note: LONG } });
});

/** Opens the details of all lines that the page shows. */
async function openAllDetails(page: Page, details: string): Promise<void> {
  const closed = page.locator('ol > li [aria-expanded=false]').filter({ hasText: details });
  await closed.first().waitFor();
  for (let count = await closed.count(); count > 0; count -= 1) await closed.first().click();
  expect(await closed.count()).toBe(0);
}

test.each(['en-GB', 'de-DE'])(
  'R-TRAIL-51, R-TRAIL-52: %s: no axe violation, nothing cut off, covered, too small or moving',
  async (locale) => {
    const t = wordsIn(locale);
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    const check = () => expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/activity');
    await openAllDetails(page, t('Details'));
    await check();
    // On phones, the filters are collapsed.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: t('Filters') }).click();
    await page.getByLabel(t('Person'), { exact: true }).fill('nobody');
    await page.getByLabel(t('Person'), { exact: true }).press('Enter');
    await see(page, t('Enter a whole email address'));
    await check();
    await page.goto('/admin/activity?what=notes&person=nobody@learner.example&from=2020-01-01&to=2020-01-02');
    person.allowComplaint(/404/);
    await see(page, t('Nothing in the log matches.'));
    await check();
    await page.goto(record);
    await openAllDetails(page, t('Details'));
    await check();
    await page.goto(`/admin/coupons/uploads/${upload}?show=notes`);
    await see(page, t('Nothing has happened yet.'));
    await check();
    await holdCalls(page, '**/api/admin/audit?*');
    await page.goto(record);
    await page.getByRole('region', { name: t('Timeline') }).waitFor();
    await check();
  },
);

test('the timeline that could not be loaded has no defect', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  person.allowComplaint(/500/);
  await page.route('**/api/admin/audit?*', (route) => route.fulfill({ status: 500, json: { message: 'x' } }));
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, record);
  await see(page, /^We could not load the timeline\./);
  await expectNoDefect(page);
});
