// Tests the dashboard's chart with mouse and keyboard, and its table.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { redeem, signIn } from './harness/api.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { offerProduct, setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const LEARNER = 'dora@learner.example';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

beforeAll(async () => {
  const { product_id } = await offerProduct(fixture, { learners: [LEARNER], codes: ['DASH-1', 'DASH-2'] });
  const { access_token } = await signIn(fixture.portal, LEARNER);
  await redeem(fixture.portal.url, product_id, access_token);
});

/** Loads the dashboard and returns the expected label of each day, newest first. */
async function openDashboard(page: Page): Promise<string[]> {
  await page.goto('/admin');
  const { redemptions } = await fixture.admin.readStats();
  await chartOf(page).waitFor();
  // Formats the dates in the browser, because the chart formats them in the browser's language.
  return page.evaluate(
    (days) =>
      days.map(({ day, count }) => {
        const date = new Date(day);
        return `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })}: ${count}`;
      }),
    redemptions.toReversed(),
  );
}

const chartOf = (page: Page) =>
  page.getByRole('application', { name: /^Redemptions per day, .* 1 in total/ });

test('the chart is one tab stop that starts at today, and arrow keys move day by day', async () => {
  const { page } = staff;
  const [today = '', yesterday = '', before = ''] = await openDashboard(page);
  expect(today).toMatch(/: 1$/);
  const spoken = page.getByRole('status').filter({ hasText: /: \d+$/ });
  await page.getByRole('button', { name: 'View as table' }).focus();
  for (const [key, said] of [
    ['Tab', today],
    ['ArrowRight', today],
    ['ArrowLeft', yesterday],
    ['ArrowLeft', before],
    ['ArrowRight', yesterday],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => spoken.allTextContents(), { message: key }).toEqual([said]);
  }
  await page.keyboard.press('Tab');
  expect(await chartOf(page).evaluate((chart) => chart.contains(document.activeElement))).toBe(false);
  await expect.poll(() => spoken.count()).toBe(0);
});

test('the mouse shows the values of the day under it', async () => {
  const { page } = staff;
  const [today = ''] = await openDashboard(page);
  const box = await chartOf(page).boundingBox();
  if (!box) throw new Error('there is no chart');
  await page.mouse.move(box.x + box.width - 5, box.y + box.height / 2);
  await see(page, today);
  await page.mouse.move(0, 0);
  await page.getByText(today, { exact: true }).waitFor({ state: 'detached' });
});

test('the data is a table for screen readers, and for everybody who opens it', async () => {
  const { page } = staff;
  await openDashboard(page);
  const table = page.getByRole('table', { name: 'Redemptions per day' });
  expect(await table.getByRole('row').count()).toBe(31);
  await page.getByRole('button', { name: 'View as table' }).click();
  await chartOf(page).waitFor({ state: 'detached' });
  expect(await table.getByRole('row').count()).toBe(31);
  expect(await table.getByRole('row').nth(1).getByRole('cell').last().textContent()).toBe('1');

  const stock = page.getByRole('table', { name: 'Codes left per product' }).getByRole('row').nth(1);
  expect((await stock.allTextContents())[0]).toContain('1 of 2');
  expect(await stock.getByRole('meter').getAttribute('aria-valuetext')).toBe('1 of 2');
});
