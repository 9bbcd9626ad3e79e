// Tests the selection of people on the Users page and the actions on them, the filter by cohort, and the names of cohorts
// on other pages.
import { actOnUsers, type Cohort, editCohort, getCohort, getPerson } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { chooseInMenu, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { addCohort, addresses, barOf, cohortPath, join, tickOf } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { openMember } from './harness/team.ts';

const PATH = '/admin/users';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
const members = addresses(25, 'picked');
const at = (index: number) => members[index] ?? '';
let cohort: Cohort;
let other: Cohort;

const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.locator('dialog[open]');
const filterOf = (page: Page) => page.getByRole('combobox', { name: 'Cohort' });
const countMembers = async ({ cohort_id: id }: Cohort) =>
  (await fixture.admin.call(getCohort, { params: { id } })).members;

/** Opens the Users page, filtered by the cohort. */
async function openFiltered(page: Page, { cohort_id }: Cohort, words: string): Promise<void> {
  await page.goto(`${PATH}?cohort_id=${cohort_id}`);
  await see(page, words);
}

beforeAll(async () => {
  const product = await fixture.admin.addProduct({ name: 'Tarnquill' });
  cohort = await addCohort(fixture, 'Autumn', { products: [product], members });
  await fixture.admin.giveAccess(at(24), product, {});
  other = await addCohort(fixture, 'Prompting Fellows', { members: [at(24), at(23)] });
  for (const name of ['Studio', 'Alumni']) await addCohort(fixture, name, { members: [at(24)] });
});

test('R-COHORT-24: the filter by cohort is kept in the address; wide screens name two cohorts of a person and count the others', async () => {
  const { page } = staff;
  await page.goto(PATH);
  await filterOf(page).selectOption({ label: 'Prompting Fellows' });
  await see(page, '1–2 of 2');
  expect(new URL(page.url()).searchParams.get('cohort_id')).toBe(other.cohort_id);
  await page.reload();
  await see(page, '1–2 of 2');
  expect(await filterOf(page).inputValue()).toBe(other.cohort_id);
  const row = page.getByRole('row').filter({ hasText: at(24) });
  await see(row, 'Alumni', 'Autumn', 'and 2 more');
  await see(page.getByRole('row').filter({ hasText: at(23) }), 'Autumn', 'Prompting Fellows');
  const size = page.viewportSize();
  await page.setViewportSize({ width: 800, height: 800 });
  await row.getByText('and 2 more').waitFor({ state: 'hidden' });
  await page.setViewportSize(size ?? { width: 1280, height: 720 });
  await filterOf(page).selectOption({ label: 'All cohorts' });
  await see(page, '1–20 of 26');
});

test('N-113, R-IMP-30: the bar takes the place of the toolbar; Remove from cohort is there only while the list is filtered by one; another filter clears the selection and says so', async () => {
  const { page } = staff;
  await page.goto(PATH);
  await tickOf(page, at(24)).waitFor();
  const findTop = () =>
    page
      .getByRole('table', { name: 'Users' })
      .evaluate((table) => table.getBoundingClientRect().top + scrollY);
  const top = await findTop();
  await tickOf(page, at(23)).check();
  await see(barOf(page), '1 selected', 'Select all 26');
  expect(await barOf(page).getByRole('button').allTextContents()).toEqual([
    ...['Select all 26', 'Add to cohort', 'Give products', 'Clear'],
  ]);
  // The rows have not moved.
  expect(await findTop()).toBe(top);
  expect(await filterOf(page).count()).toBe(0);
  await button(barOf(page), 'Clear').click();
  expect(await hasFocus(tickOf(page, at(23)))).toBe(true);
  await filterOf(page).selectOption({ label: 'Autumn' });
  await see(page, '1–20 of 25');
  await tickOf(page, at(23)).check();
  await see(barOf(page), 'Filter: Autumn');
  await button(barOf(page), 'Remove from cohort').waitFor();
  await page.goBack();
  await takeToast(page, 'default', 'Selection cleared', 'The list shows other people now.');
  expect(await barOf(page).count()).toBe(0);
});

test('R-IMP-30, R-IMP-31: people of several pages join a cohort; all of the filter get products; a larger number keeps the dialog', async () => {
  const { page } = staff;
  const target = await addCohort(fixture, 'Target');
  await openFiltered(page, cohort, '1–20 of 25');
  await tickOf(page, at(24)).check();
  await button(page, 'Next').click();
  await see(page, '21–25 of 25');
  await page
    .getByRole('checkbox', { name: /^Select picked/ })
    .first()
    .check();
  await see(barOf(page), '2 selected');
  await button(barOf(page), 'Add to cohort').click();
  await button(dialog(page), 'Add 2 people').click();
  expect(await hasFocus(dialog(page).getByLabel('Cohort'))).toBe(true);
  await dialog(page).getByLabel('Cohort').selectOption({ label: 'Target' });
  await button(dialog(page), 'Add 2 people').click();
  await takeToast(page, 'default', 'Success', '2 people joined');
  expect(await countMembers(target)).toBe(2);

  await openFiltered(page, cohort, '1–20 of 25');
  await tickOf(page, at(24)).check();
  await button(barOf(page), 'Select all 25').click();
  await see(barOf(page), '25 selected');
  // After 'all', unchecking one person selects the rest of the page.
  await tickOf(page, at(20)).uncheck();
  await see(barOf(page), '19 selected');
  await button(barOf(page), 'Select all 25').click();
  await join(fixture, cohort, ['meanwhile@learner.example']);
  await button(barOf(page), 'Give products').click();
  await button(dialog(page), 'Give to 25 people').click();
  await see(dialog(page), 'Select at least one product');
  await button(dialog(page), /^Products/).click();
  await dialog(page).getByRole('checkbox', { name: 'Tarnquill' }).check();
  await page.keyboard.press('Escape');
  staff.allowComplaint(/409/);
  await button(dialog(page), 'Give to 25 people').click();
  await see(dialog(page), 'There are 26 people now, not 25. Please look again.');
  await button(dialog(page), 'Give to 26 people').click();
  await takeToast(page, 'default', 'Success', '25 people got the products, 1 had them before');
  await see(page.getByRole('region', { name: 'Result' }), '25 people got the products, 1 had them before');
  const { grants } = await fixture.admin.call(getPerson, { params: { user_id: at(3) } });
  expect(grants.filter(({ via }) => via === 'direct')).toHaveLength(1);
});

test('R-IMP-30, N-113: all members of the filter leave the cohort; the dialog says how many of them hold a code', async () => {
  const leavers = await addCohort(fixture, 'Leavers', { members: addresses(3, 'leaver') });
  const { page } = staff;
  await openFiltered(page, leavers, '1–3 of 3');
  await page.getByRole('checkbox', { name: 'Select this page' }).check();
  await button(barOf(page), 'Remove from cohort').click();
  await see(dialog(page), '3 people, of whom 0 hold a code. They keep seeing the codes they hold.');
  await button(dialog(page), 'Cancel').click();
  await tickOf(page, 'leaver-1@learner.example').uncheck();
  await see(barOf(page), '2 selected');
  await button(barOf(page), 'Select all 3').click();
  await button(barOf(page), 'Remove from cohort').click();
  await see(dialog(page), '3 people, of whom 0 hold a code. They keep seeing the codes they hold.');
  await button(dialog(page), 'Remove 3 people').click();
  await takeToast(page, 'default', 'Success', '3 people removed');
  expect(await countMembers(leavers)).toBe(0);
});

test('C-7: the act of a large job shows its progress, also after a reload and while the list is paged', async () => {
  const { page } = staff;
  const job = { id: 'large', kind: 'act', act: 'join', state: 'running', rows_total: 9000, rows_done: 4500 };
  const more = { results: null, reason: null, file_name: null, errors_count: 0, errors: [] };
  const by = { created_at: '2026-11-20T09:00:00Z', created_by: ADMIN_EMAIL };
  await page.route('**/api/admin/imports/large', (route) =>
    route.fulfill({ json: { ...job, ...more, ...by } }),
  );
  await page.route(`**${actOnUsers.path}`, (route) => route.fulfill({ json: { job_id: 'large' } }));
  await page.goto(PATH);
  await tickOf(page, at(24)).check();
  await button(barOf(page), 'Add to cohort').click();
  await dialog(page).getByLabel('Cohort').selectOption({ label: 'Target' });
  await button(dialog(page), 'Add 1 person').click();
  const bar = page.getByRole('progressbar', { name: 'Adding 9,000 people to the cohort' });
  await bar.waitFor();
  await page.reload();
  await bar.waitFor();
  await see(page, '4,500 of 9,000 people', 'You can leave this page. It continues.');
  await button(page, 'Next').click();
  await see(page, /^21–/);
  await bar.waitFor();
  // Leaves the page, which would poll the job after the faked responses have ended.
  await page.goto(PATH);
});

test('R-IMP-30: people are selected and added to a cohort with the keyboard alone', async () => {
  const { page } = staff;
  await openFiltered(page, other, '1–2 of 2');
  await tickOf(page, at(24)).focus();
  await page.keyboard.press('Space');
  await see(barOf(page), '1 selected');
  await page.getByRole('heading', { name: 'Existing Users' }).evaluate((heading) => {
    heading.tabIndex = -1;
    heading.focus();
  });
  await tabTo(page, button(barOf(page), 'Add to cohort'));
  await page.keyboard.press('Enter');
  await dialog(page).waitFor();
  await expect.poll(() => hasFocus(dialog(page).getByLabel('Cohort'))).toBe(true);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  // Escape has closed the dialog only.
  await see(barOf(page), '1 selected');
  await page.keyboard.press('Escape');
  await barOf(page).waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(tickOf(page, at(24)))).toBe(true);
});

test('R-COHORT-26, R-VAL-16: the form of a user takes cohorts instead of products; without both it names the products', async () => {
  const { page } = staff;
  await page.goto(`${PATH}?open=add`);
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill('formed@learner.example');
  await page.getByRole('textbox', { name: 'Name' }).fill('Fore Med');
  await button(page, 'Save User').click();
  await see(page, 'Select at least one product');
  await takeToast(page, 'destructive', 'Missing required fields', 'Please fill in all required fields');
  await chooseInMenu(page, /^Cohorts/, 'Studio');
  await button(page, 'Save User').click();
  await takeToast(page, 'default', 'Success', 'User created/updated successfully');
  const { cohorts } = await fixture.admin.call(getPerson, { params: { user_id: 'formed@learner.example' } });
  expect(cohorts.map(({ name }) => name)).toEqual(['Studio']);
});

test('R-TRAIL-50, R-TRAIL-51: the record of a person and the log lead to the page of a cohort', async () => {
  const { page } = staff;
  await page.goto(`${PATH}/${encodeURIComponent(at(22))}`);
  await page.getByRole('list', { name: 'Cohorts' }).getByRole('link', { name: 'Autumn' }).click();
  await page.waitForURL(`**${cohortPath(cohort)}`);
  const created = await addCohort(fixture, 'Just Created');
  await page.goto('/admin/activity');
  await page.getByRole('link', { name: 'Just Created' }).first().click();
  await page.waitForURL(`**${cohortPath(created)}`);
});

test('R-TEAM-32: a viewer sees the list of cohorts only, without links; support sees the cohort without acts', async () => {
  const { page: viewer } = await openMember(fixture, 'viewer', 'looks@provider.example', '/admin');
  await viewer.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Users' }).click();
  await viewer.waitForURL('**/admin/users/cohorts');
  const table = viewer.getByRole('table', { name: 'Cohorts' });
  await see(table, 'Prompting Fellows');
  expect(await table.getByRole('link').count()).toBe(0);
  expect(await viewer.getByRole('navigation', { name: 'Section' }).count()).toBe(0);
  expect(await viewer.getByRole('heading', { name: 'Add New Cohort' }).count()).toBe(0);
  await viewer.goto(cohortPath(cohort));
  await see(viewer, 'Nothing here for your role.');

  const { page: support } = await openMember(fixture, 'support', 'helps@provider.example', '/admin');
  await support.goto(cohortPath(cohort));
  await see(support, at(24));
  await see(support, 'Live');
  expect(await support.getByRole('checkbox').count()).toBe(0);
  for (const name of ['Add products', 'Change all dates', `More for ${cohort.name}`])
    expect(await button(support, name).count(), name).toBe(0);
  expect(await support.getByRole('heading', { name: /^(Add Members|Bulk)/ }).count()).toBe(0);
  await support.goto(PATH);
  await filterOf(support).waitFor();
  expect(await support.getByRole('checkbox').count()).toBe(0);
});

test('R-TEAM-21, N-72: a form that is refused for the role keeps what was typed', async () => {
  const manager = await openMember(fixture, 'manager', 'falls@provider.example', cohortPath(cohort));
  const { page } = manager;
  await openCard(page, 'Add Members');
  await page.getByLabel('Email addresses').fill('typed@learner.example');
  manager.allowComplaint(/403/);
  await fixture.portal.operate('admin', 'add', 'falls@provider.example', '--role', 'support');
  await button(page, 'Add 1 person').click();
  await takeToast(
    page,
    'destructive',
    'Access restricted',
    'Your role (support) may not do this. Ask an owner.',
  );
  expect(await page.getByLabel('Email addresses').inputValue()).toBe('typed@learner.example');
  await button(page, `More for ${cohort.name}`).waitFor({ state: 'detached' });
});

test('R-COHORT-04: the filter of an archived cohort still shows its members', async () => {
  const old = await addCohort(fixture, 'Old', { members: addresses(1, 'old') });
  const body = { name: 'Old', note: null, version: old.version, archived: true, expected: 1 };
  await fixture.admin.call(editCohort, { params: { id: old.cohort_id }, body });
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, PATH);
  await openFiltered(person.page, old, '1–1 of 1');
  expect(await filterOf(person.page).locator('option:checked').textContent()).toBe('Archived cohort');
});
