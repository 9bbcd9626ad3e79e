// Tests the menu of the access card for access that comes from cohorts and purchases.
import type { getUserAccess, ReplyOf } from '@portal/contract';
import { expect, test } from 'vitest';
import { openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { addCohort } from './harness/cohorts.ts';
import { type Fixture, setFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { dayIn } from './harness/states.ts';

const fixture: Fixture = setFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users'));

async function lookUp(email: string): Promise<void> {
  await openCard(staff.page, 'User Access Management');
  await staff.page.getByLabel('User email').fill(email);
  await staff.page.getByRole('button', { name: 'View Products' }).click();
  await see(staff.page.getByRole('main'), email);
}

async function openMenu(product: string): Promise<void> {
  await staff.page.getByRole('button', { name: `More for ${product}`, exact: true }).click();
}

test('R-LIFE-32, N-97: a shared code cannot be revoked for one person, and access by a cohort names its source', async () => {
  const product = await fixture.admin.addProduct({ name: 'Tool of All', shared_coupon: true });
  await fixture.admin.addCodes(product, 'ALL-1');
  await addCohort(fixture, 'Autumn 2026', { products: [product], members: ['cohort@learner.example'] });
  await fixture.admin.giveCode('cohort@learner.example', product);
  await lookUp('cohort@learner.example');
  await openMenu('Tool of All');
  expect((await staff.page.getByRole('menuitem').allTextContents()).slice(0, 2)).toEqual([
    'Change datesComes with cohort Autumn 2026. Change it there.',
    'Remove accessRemove this person from Autumn 2026 instead.',
  ]);
  await staff.page.getByRole('menuitem', { name: 'Remove access' }).click({ force: true });
  expect(await staff.page.getByRole('alertdialog').count()).toBe(0);
});

test('R-LIFE-32, N-97: access by several cohorts and a purchase names all of them', async () => {
  const { page } = staff;
  const email = 'both@learner.example';
  const product = await fixture.admin.addProduct({ name: 'Tool of Both' });
  await addCohort(fixture, 'Early 2026', { products: [product], members: [email] });
  await addCohort(fixture, 'Late 2026', { products: [product], members: [email], starts_on: dayIn(20) });
  const past = { starts_on: dayIn(-20), ends_on: dayIn(-10) };
  await addCohort(fixture, 'Past 2025', { products: [product], members: [email], ...past });
  const readActs = async () => {
    await lookUp(email);
    await openMenu('Tool of Both');
    const texts = (await page.getByRole('menuitem').allTextContents()).slice(0, 2);
    await page.keyboard.press('Escape');
    return texts.map((text) => text.replace('Late 2026, Early 2026', 'Early 2026, Late 2026'));
  };
  const dates = 'Change datesComes with the cohorts Early 2026, Late 2026. Change it there.';
  const remove = 'Remove accessRemove this person from Early 2026, Late 2026 instead.';
  expect(await readActs()).toEqual([dates, remove]);

  const path = '**/api/admin/user-access/*';
  await page.route(path, async (route) => {
    const response = await route.fetch();
    const access = (await response.json()) as ReplyOf<typeof getUserAccess>;
    for (const { grants } of access.products) {
      const grant = grants.find(({ state }) => state === 'live');
      if (grant) grants.push({ ...grant, id: 'p', via: 'purchase', cohort: null, purchase_id: '4711' });
    }
    await route.fulfill({ response, json: access });
  });
  await page.reload();
  const purchase = 'Comes with purchase 4711.';
  expect(await readActs()).toEqual([`${dates} ${purchase}`, `${remove} ${purchase}`]);
  await page.unroute(path);
});
