// Tests `Give products` and `Add to cohort` for many people: too few codes, members of the team, and mails (R-DAY-36).
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { addCohort, addresses, barOf } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
const people = addresses(3, 'told');
let product: Awaited<ReturnType<typeof fixture.admin.addProduct>>;
beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Tarnquill' });
  await fixture.admin.addCodes(product, 'TELL-1', 'TELL-2');
  await addCohort(fixture, 'Known', { members: people });
});
const dialog = (page: Page) => page.locator('dialog[open]');
const button = (page: Page, name: string | RegExp) => dialog(page).getByRole('button', { name, exact: true });

/** Selects everybody in the list of people: three learners and the owner. */
async function selectAll(page: Page): Promise<void> {
  await page.goto('/admin/users');
  await page.getByRole('checkbox', { name: 'Select this page' }).check();
  await see(barOf(page), '4 selected');
}

test('R-DAY-36: too few codes are shown before it happens, the team is left out unless ticked, and people are told afterwards', async () => {
  const { page } = staff;
  await selectAll(page);
  await barOf(page).getByRole('button', { name: 'Give products' }).click();
  await see(page, 'Give products to 3 people');
  await button(page, /^Products/).click();
  await dialog(page).getByRole('checkbox', { name: 'Tarnquill' }).check();
  await page.keyboard.press('Escape');
  await see(dialog(page), '3 people, 2 codes left');
  await dialog(page).getByRole('checkbox', { name: 'Also 1 member of the team' }).check();
  await see(dialog(page), 'Give products to 4 people', '4 people, 2 codes left');
  await dialog(page).getByRole('checkbox', { name: 'Also 1 member of the team' }).uncheck();
  expect(await dialog(page).getByRole('checkbox', { name: 'Tell them by email' }).isChecked()).toBe(false);
  await button(page, 'Give to 3 people').click();
  const result = page.getByRole('region', { name: 'Result' });
  await see(result, '3 people got the products, 1 member of the team was left out');
  await see(result, '3 people got something new and were not told.');

  // A second tab presses the button first.
  const job = new URL(page.url()).searchParams.get('job');
  const other = await staff.context.newPage();
  await other.goto(`/admin/users?job=${job}`);
  const tell = (of: Page) => of.getByRole('button', { name: 'Tell them now' });
  await tell(other).waitFor();
  await tell(page).click();
  await tell(other).click();
  for (const tab of [page, other]) {
    await see(tab.getByRole('region', { name: 'Result' }), '‘Your benefits are ready’');
    await expect.poll(() => tell(tab).count()).toBe(0);
    const counts = tab.getByRole('region', { name: '‘Your benefits are ready’' });
    expect(await counts.locator('dd').first().textContent()).toBe('3');
  }
  await other.close();
});

test('R-DAY-36: people who join a cohort are told with the tick', async () => {
  const { page } = staff;
  const second = await fixture.admin.addProduct({ name: 'Lumenforge' });
  await fixture.admin.addCodes(second, 'SECOND-1');
  await addCohort(fixture, 'Autumn', { products: [second] });
  await selectAll(page);
  await barOf(page).getByRole('button', { name: 'Add to cohort' }).click();
  await dialog(page).getByRole('combobox', { name: 'Cohort' }).selectOption({ label: 'Autumn' });
  await see(dialog(page), '3 people, 1 code left');
  await dialog(page).getByRole('checkbox', { name: 'Tell them by email' }).check();
  await button(page, 'Add 3 people').click();
  const result = page.getByRole('region', { name: 'Result' });
  await see(result, '3 people joined, 1 member of the team was left out', '‘Your benefits are ready’');
  expect(await result.getByRole('button', { name: 'Tell them now' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Dashboard' }).click();
});
