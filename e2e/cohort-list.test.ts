// Tests the list of cohorts, the heads and rows of lists on phones, and pages of cohorts that change in another tab.
import { editCohort, getCohort, removeMembers } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cardHeading, chooseAction } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see, takeToast } from './harness/browser.ts';
import { addCohort, addresses, barOf, openCohort, tickOf } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { dayIn } from './harness/states.ts';

const PATH = '/admin/users/cohorts';
const PHONE = { width: 390, height: 844 };
const TABLET = { width: 768, height: 1024 };
const WIDE = { width: 1280, height: 800 };

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
const made: Awaited<ReturnType<typeof fixture.admin.addProduct>>[] = [];
beforeAll(async () => {
  for (const name of ['Tarnquill', 'Lumenforge']) made.push(await fixture.admin.addProduct({ name }));
});

const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.locator('dialog[open]');
const rowOf = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Cohorts' }).getByRole('row').filter({ hasText: name });
const archive = (cohort: { cohort_id: string; name: string }, version: number) =>
  fixture.admin.call(editCohort, {
    params: { id: cohort.cohort_id },
    body: { name: cohort.name, note: null, archived: true, version, expected: 100 },
  });

test('R-COHORT-21, R-DAY-37: the list of cohorts shows the state, the claimed codes with a bar, and how many are missing', async () => {
  const [one, two] = made;
  if (!one || !two) throw new Error('no products');
  await fixture.admin.addCodes(one, 'LIST-1', 'LIST-2');
  const members = addresses(4, 'list');
  await addCohort(fixture, 'Spring', { products: [one, two], members });
  await addCohort(fixture, 'Past', {
    products: [one],
    members: members.slice(0, 1),
    starts_on: '2020-01-01',
    ends_on: '2020-02-01',
  });
  await addCohort(fixture, 'Later', { products: [one], starts_on: dayIn(20) });
  await addCohort(fixture, 'Bare', { members });
  await fixture.admin.giveCode(members[0] ?? '', one);
  const { page } = staff;
  await page.setViewportSize(WIDE);
  await page.goto(PATH);
  // Two products for 4 members: one code is held and one is free of the first, none of the second.
  await see(rowOf(page, 'Spring'), 'Live', '1 of 8', 'short by 6');
  const bar = page.getByRole('meter', { name: 'Spring: codes claimed' });
  expect(await bar.getAttribute('aria-valuenow')).toBe('1');
  expect(await bar.getAttribute('aria-valuemax')).toBe('8');
  await see(rowOf(page, 'Past'), 'Ended', '1 of 1', 'Jan 1, 2020 to Feb 1, 2020');
  expect(
    await rowOf(page, 'Past')
      .getByText(/short by/)
      .count(),
  ).toBe(0);
  await see(rowOf(page, 'Later'), 'Scheduled');
  await see(rowOf(page, 'Bare'), 'No products');
  expect(await page.getByRole('meter').count()).toBe(2);

  await page.getByRole('searchbox', { name: 'Search cohorts' }).fill('SPR');
  await see(page, '1–1 of 1');
  await page.getByRole('searchbox', { name: 'Search cohorts' }).fill('nothing');
  await see(page, 'No cohorts match.');
  await button(page, 'Show all cohorts').click();
  await see(page, '1–4 of 4');
});

test('R-DAY-13: on a phone, search and filters take one row, and the facts of a person one line', async () => {
  const { page } = staff;
  await fixture.admin.addLearner('lea@learner.example', made[0] as (typeof made)[0]);
  await page.setViewportSize(PHONE);
  await page.goto('/admin/users');
  const table = page.getByRole('table', { name: 'Users' });
  const row = table.getByRole('row').filter({ hasText: 'lea@learner.example' });
  await row.waitFor();
  const top = async (locator: Locator) => (await locator.boundingBox())?.y;
  const search = page.getByRole('searchbox', { name: 'Search people' });
  expect(await top(search)).toBe(await top(button(page, 'Filters')));
  expect(await page.getByRole('combobox', { name: 'Cohort' }).count()).toBe(0);
  expect((await row.boundingBox())?.height).toBeLessThan(80);
  await button(page, 'Filters').click();
  await page.getByRole('combobox', { name: 'Cohort' }).selectOption({ label: 'Spring' });
  await see(page, '1–4 of 4');
  await page.getByRole('group', { name: 'Role' }).getByRole('button', { name: 'user' }).click();
  await button(page, 'Filters (2)').click();
  expect(await page.getByRole('combobox', { name: 'Cohort' }).count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.width);
});

test('R-DAY-11: at 768 px, Users shows email, name, last sign-in and codes held; an address breaks before its @ only', async () => {
  const { page } = staff;
  const long = 'a.very.long.address.of.a.learner@cohort.example';
  await fixture.admin.addLearner(long, made[0] as (typeof made)[0]);
  await page.setViewportSize(TABLET);
  await page.goto('/admin/users');
  const table = page.getByRole('table', { name: 'Users' });
  const email = table.getByRole('rowheader', { name: /^a\.very\.long/ }).getByRole('link');
  await email.waitFor();
  const heads = await table.getByRole('columnheader').allInnerTexts();
  expect(heads.map((head) => head.trim()).slice(1)).toEqual(['Email', 'Name', 'Last sign-in', 'Codes held']);
  const lines = await email.evaluate((link) => {
    const range = document.createRange();
    range.selectNodeContents(link);
    return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size;
  });
  expect(lines).toBeLessThanOrEqual(2);
  await page.setViewportSize(WIDE);
});

test('R-COHORT-22: members have the products whose code they hold; Add Members opens the card with its field', async () => {
  const members = addresses(2, 'holds');
  const cohort = await addCohort(fixture, 'Holds', { products: made, members });
  await fixture.admin.addCodes(made[1] as (typeof made)[0], 'HOLDS-1');
  await fixture.admin.giveCode(members[0] ?? '', made[1] as (typeof made)[0]);
  const { page } = staff;
  await openCohort(page, cohort, '2 members · 2 products');
  const table = page.getByRole('table', { name: 'Members' });
  await see(table.getByRole('row', { name: /holds-1/ }), '1 of 2');
  await see(table.getByRole('row', { name: /holds-2/ }), '0 of 2');
  await cardHeading(page, 'Add Members').click();
  await expect.poll(() => hasFocus(page.getByLabel('Email addresses'))).toBe(true);
  expect(new URL(page.url()).searchParams.get('open')).toBe('add');
});

test('R-COHORT-04, R-COHORT-33: a cohort that was archived in another tab is not archived twice, and its page says so', async () => {
  const cohort = await addCohort(fixture, 'Two tabs', { members: addresses(1, 'tabs') });
  const { page } = staff;
  await openCohort(page, cohort, '1–1 of 1');
  await chooseAction(page, 'More for Two tabs', 'Archive Cohort');
  await archive(cohort, cohort.version);
  staff.allowComplaint(/409/);
  await button(dialog(page), 'Archive Cohort').click();
  const words = 'Somebody else changed this cohort meanwhile. Reload to see their version.';
  await takeToast(page, 'destructive', 'Error', words);
  await see(page, 'This cohort is archived');
  await dialog(page).waitFor({ state: 'detached' });
  await button(page, 'Bring back').click();
  await takeToast(page, 'default', 'Success', 'Cohort brought back');
  await cardHeading(page, 'Add Members').waitFor();
  expect(await fixture.admin.call(getCohort, { params: { id: cohort.cohort_id } })).toMatchObject({
    archived: false,
  });
});

test('R-COHORT-13: of the selected members, one who was removed meanwhile is counted as no member', async () => {
  const members = addresses(3, 'gone');
  const cohort = await addCohort(fixture, 'Gone', { members });
  const { page } = staff;
  await openCohort(page, cohort, '1–3 of 3');
  for (const email of members.slice(0, 2)) await tickOf(page, email).check();
  const params = { id: cohort.cohort_id };
  await fixture.admin.call(removeMembers, { params, body: { emails: members.slice(0, 1) } });
  await button(barOf(page), 'Remove').click();
  await button(dialog(page), 'Remove 2 people').click();
  await takeToast(page, 'default', 'Success', '1 person removed, 1 was no member');
  await see(page, '1–1 of 1', '1 member · 0 products');
});
