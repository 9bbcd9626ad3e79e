// Tests the pages about cohorts: the list, the products with their days, the members, conflicts.
import { editCohort, getCohort } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cardHeading, chooseAction, chooseInMenu, csv, fileInput, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { addCohort, addresses, barOf, cohortPath, join, openCohort, tickOf } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { dayIn } from './harness/states.ts';
import { shown } from './harness/verdicts.ts';

const PATH = '/admin/users/cohorts';
const NONE_YET = 'Nobody is in this cohort yet.';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
const products = { one: 'Tarnquill', two: 'Lumenforge' };
const made: Record<string, Awaited<ReturnType<typeof fixture.admin.addProduct>>> = {};

const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.locator('dialog[open]');
const cells = (page: Page, name: string) =>
  page.getByRole('row').filter({ hasText: name }).getByRole('cell').allTextContents();
const read = (cohort: { cohort_id: string }) =>
  fixture.admin.call(getCohort, { params: { id: cohort.cohort_id } });

beforeAll(async () => {
  made.one = await fixture.admin.addProduct({ name: products.one });
  made.two = await fixture.admin.addProduct({ name: products.two });
});
const one = () => made.one as NonNullable<(typeof made)['one']>;

test('R-COHORT-20, R-COHORT-21, N-110: the tab Cohorts has a form and the list; a created cohort is in the list at once, and its name is unique', async () => {
  const { page } = staff;
  await page.goto('/admin/users');
  const tabs = page.getByRole('navigation', { name: 'Section' });
  await tabs.waitFor();
  expect(await tabs.getByRole('link').allTextContents()).toEqual(['People', 'Cohorts', 'Team']);
  // Without cohorts, the page shows no filter by cohort.
  expect(await page.getByText('All cohorts').count()).toBe(0);
  await tabs.getByRole('link', { name: 'Cohorts' }).click();
  await page.waitForURL(`**${PATH}`);
  await see(page, 'No cohorts found. Create your first cohort above.');

  const name = page.getByRole('textbox', { name: 'Name' });
  await button(page, 'Create Cohort').click();
  await expect.poll(() => hasFocus(name)).toBe(true);
  await takeToast(page, 'destructive', 'Missing required fields', 'Please fill in all required fields');
  await name.fill('Autumn of the fellows and of everybody else');
  await chooseInMenu(page, /^Products/, products.one);
  const year = new Date().getFullYear();
  await page.getByLabel('Access from').fill(`${year}-01-01`);
  await page.getByLabel('Access until').fill(`${year + 1}-02-28`);
  await button(page, 'Create Cohort').click();
  await takeToast(page, 'default', 'Success', 'Cohort created');
  // The page of the new cohort opens.
  await page.getByRole('heading', { level: 1, name: 'Autumn of the fellows' }).waitFor();
  await see(page, '0 members · 1 product', NONE_YET);
  await page.getByRole('link', { name: 'Cohorts', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'Autumn of the fellows and of everybody e…' });
  await row.waitFor();
  expect(await row.getByRole('cell').allTextContents()).toEqual([
    ...['Live', '0', '1', '-', `Jan 1 to Feb 28, ${year + 1}`],
  ]);
  const segments = page.getByRole('group', { name: 'Show' }).getByRole('button');
  expect(await segments.allTextContents()).toEqual(['Current 1', 'Archived 0']);

  staff.allowComplaint(/409/);
  await openCard(page, 'Add New Cohort');
  await name.fill(' autumn of the fellows and of EVERYBODY else');
  await button(page, 'Create Cohort').click();
  await expect.poll(() => hasFocus(name)).toBe(true);
  await takeToast(page, 'destructive', 'Error', 'There is a cohort of this name already');
  await button(page, 'Archived 0').click();
  await see(page, 'No cohort is archived.');
  await page.getByRole('link', { name: 'People' }).click();
});

test('R-COHORT-21: the list that cannot be loaded says so, and Try again loads it', async () => {
  const { page } = staff;
  await addCohort(fixture, 'Loaded');
  staff.allowComplaint(/500/);
  await page.route(/\/api\/admin\/cohorts$/, (route) => route.fulfill({ status: 500, body: 'no' }), {
    times: 1,
  });
  await page.goto(PATH);
  await see(page, /^We could not load the cohorts\./);
  await button(page, 'Try again').click();
  await page.getByRole('table', { name: 'Cohorts' }).waitFor();
});

test('R-COHORT-22, N-95, N-96, N-98: products are added, dated and removed; each dialog says first how many people, and how many hold a code', async () => {
  const [holder = '', ...others] = addresses(3, 'dated');
  await fixture.admin.addLearner(holder, one());
  await fixture.admin.addCodes(one(), 'DATED-1');
  await fixture.admin.giveCode(holder, one());
  const cohort = await addCohort(fixture, 'Dated', { products: [one()], members: [holder, ...others] });
  const { page } = staff;
  await openCohort(page, cohort, '3 members · 1 product');
  const whom = '3 people, of whom 1 holds a code. They keep seeing the codes they hold.';

  await button(page, 'Add products').click();
  await button(dialog(page), 'Add products').click();
  await see(dialog(page), 'Select at least one product');
  await button(dialog(page), /^Products/).click();
  expect(await dialog(page).getByRole('checkbox', { name: products.one }).count()).toBe(0);
  await dialog(page).getByRole('checkbox', { name: products.two }).check();
  await page.keyboard.press('Escape');
  await dialog(page).getByLabel('Access from').fill(dayIn(10));
  await button(dialog(page), 'Add products').click();
  await takeToast(page, 'default', 'Success', 'The cohort gives 1 more product');
  await see(page, '3 members · 2 products');
  expect((await cells(page, products.two)).slice(0, 2)).toEqual([
    ...[expect.stringMatching(/^from \w/), 'Scheduled'],
  ]);

  await chooseAction(page, `More for ${products.one}`, 'Change dates');
  await see(dialog(page), whom);
  expect(await hasFocus(button(dialog(page), 'Cancel'))).toBe(true);
  await dialog(page).getByLabel('Access until').fill(dayIn(30));
  await button(dialog(page), 'Save Dates').click();
  await see(dialog(page), 'Give a reason of at least 3 characters');
  await dialog(page).getByLabel('Reason').fill('Course is shorter');
  await button(dialog(page), 'Save Dates').click();
  await takeToast(page, 'default', 'Success', 'Dates changed');

  await button(page, 'Change all dates').click();
  await see(dialog(page), `2 products get these dates. ${whom}`);
  await dialog(page).getByLabel('Access from').fill(dayIn(0));
  await dialog(page).getByLabel('Access until').fill(dayIn(-1));
  await button(dialog(page), 'Change dates of 2 products').click();
  await see(dialog(page), 'The last day is before the first.');
  await dialog(page).getByLabel('Access until').fill(dayIn(20));
  await see(dialog(page), '2 products end earlier than now.');
  await button(dialog(page), 'Change dates of 2 products').click();
  await takeToast(page, 'default', 'Success', 'Dates of 2 products changed');
  const { grants } = await read(cohort);
  expect(grants.map(({ starts_on, ends_on }) => [starts_on, ends_on])).toEqual(
    Array(2).fill([dayIn(0), dayIn(20)]),
  );

  await chooseAction(page, `More for ${products.one}`, 'Remove');
  await see(dialog(page), whom);
  await dialog(page).getByLabel('Reason').fill('Partner left');
  await button(dialog(page), 'Remove product').click();
  await takeToast(page, 'default', 'Success', `${products.one} removed`);
  await see(page, '3 members · 1 product');
});

test('R-COHORT-13, R-COHORT-22: addresses, one a line, join; a line that is none is named', async () => {
  const cohort = await addCohort(fixture, 'By hand', { members: ['old@learner.example'] });
  const { page } = staff;
  await openCohort(page, cohort, '1 member · 0 products');
  await see(page, 'This cohort gives no product yet.');
  await openCard(page, 'Add Members');
  const field = page.getByLabel('Email addresses');
  await button(page, 'Add people').click();
  await see(page, 'Enter at least one address');
  await field.fill('old@learner.example\n\nBo Diddley');
  await button(page, 'Add 1 person').click();
  await expect.poll(() => hasFocus(field)).toBe(true);
  await see(page, 'Line 3 is not an email address: Bo Diddley');
  await field.fill('OLD@learner.example\n new-1@learner.example \nnew-2@learner.example\n');
  await button(page, 'Add 3 people').click();
  await takeToast(page, 'default', 'Success', '2 joined, 1 were members, 2 new people');
  await see(page, '3 members · 0 products', '1–3 of 3');
  expect(await field.inputValue()).toBe('');
});

test('R-COHORT-14, R-COHORT-23: a file is uploaded without a choice of products; the toast counts who joined, and is an error only if nobody of the file is a member', async () => {
  const cohort = await addCohort(fixture, 'By file', { members: ['file-1@learner.example'] });
  const { page } = staff;
  await openCohort(page, cohort, '1–1 of 1');
  await openCard(page, 'Bulk Upload Users');
  const rows = ['file-1@learner.example,One', 'file-2@learner.example,Two', 'not an address,Three'];
  await fileInput(page).setInputFiles(csv('people.csv', 'email,name', ...rows));
  await takeToast(page, 'default', 'Import Complete', '1 joined, 1 were members, 1 new people, 1 failed');
  await see(page, '2 members · 0 products', '1–2 of 2');
  const summary = page.getByRole('region', { name: 'people.csv' });
  await see(
    summary,
    /^3 rows for .?By file.?, imported in/,
    'Joined',
    'Members before',
    'New people',
    'Failed',
  );
  await fileInput(page).setInputFiles(csv('again.csv', 'email,name', ...rows.slice(0, 2)));
  await takeToast(page, 'default', 'Import Complete', '0 joined, 2 were members, 0 new people, 0 failed');
  await fileInput(page).setInputFiles(csv('bad.csv', 'email,name', 'no address,X'));
  await takeToast(page, 'destructive', 'Import Complete', '0 joined, 0 were members, 0 new people, 1 failed');
  const many = Array.from({ length: 51 }, (_row, at) => `bulk-${at}@learner.example,Bulk`);
  await fileInput(page).setInputFiles(csv('many.csv', 'email,name', ...many));
  await takeToast(
    page,
    'default',
    'Bulk User Import Complete',
    '51 joined, 0 were members, 51 new people, 0 failed',
  );
});

test('R-COHORT-05, R-COHORT-22: selected members move to another cohort; the choice lists neither the cohort itself nor archived ones', async () => {
  const from = await addCohort(fixture, 'From', { products: [one()], members: addresses(3, 'moves') });
  const to = await addCohort(fixture, 'To');
  await fixture.admin.addCodes(one(), 'MOVES-1');
  await fixture.admin.giveCode('moves-1@learner.example', one());
  const { page } = staff;
  await openCohort(page, from, '1–3 of 3');
  await tickOf(page, 'moves-1@learner.example').check();
  await tickOf(page, 'moves-3@learner.example').check();
  await see(barOf(page), '2 selected', 'Select all 3');
  await button(page, 'Move to…').click();
  await see(dialog(page), '2 people, of whom 1 holds a code. They keep seeing the codes they hold.');
  const select = dialog(page).getByLabel('Move to');
  expect(await select.locator('option').allTextContents()).not.toContain('From');
  await button(dialog(page), 'Move 2 people').click();
  await see(dialog(page), 'Select a cohort');
  await select.selectOption({ label: 'To' });
  await button(dialog(page), 'Move 2 people').click();
  await takeToast(page, 'default', 'Success', '2 people moved');
  await see(page, '1 member · 1 product', '1–1 of 1');
  expect(await barOf(page).count()).toBe(0);
  expect(await read(to)).toMatchObject({ members: 2 });
});

test('R-COHORT-22, C-6: Select all removes the members of all pages and says the exact number first; a larger number keeps the dialog', async () => {
  const cohort = await addCohort(fixture, 'Left by all', { members: addresses(45, 'leaves') });
  const { page } = staff;
  await openCohort(page, cohort, '1–20 of 45');
  await page.getByRole('checkbox', { name: 'Select this page' }).check();
  await see(barOf(page), '20 selected');
  await button(page, 'Next').click();
  await see(page, '21–40 of 45');
  // The pages of a list share one selection.
  await see(barOf(page), '20 selected');
  await tickOf(page, 'leaves-25@learner.example').check();
  await see(barOf(page), '21 selected');
  await button(barOf(page), 'Select all 45').click();
  await see(barOf(page), '45 selected');
  await join(fixture, cohort, ['late-1@learner.example', 'late-2@learner.example']);
  await button(barOf(page), 'Remove').click();
  await see(dialog(page), 'Remove 45 people from Left by all?');
  await see(dialog(page), '45 people, of whom 0 hold a code. They keep seeing the codes they hold.');
  staff.allowComplaint(/409/);
  await button(dialog(page), 'Remove 45 people').click();
  await see(dialog(page), 'There are 47 people now, not 45. Please look again.');
  expect(await hasFocus(button(dialog(page), 'Cancel'))).toBe(true);
  await button(dialog(page), 'Remove 47 people').click();
  await takeToast(page, 'default', 'Success', '47 people removed');
  await see(page, '0 members · 0 products');
  await see(page.getByRole('region', { name: 'Result' }), '47 people removed');
  await button(page, 'Dismiss').click();
  await page.getByRole('region', { name: 'Result' }).waitFor({ state: 'detached' });
});

test('R-COHORT-22: in a search, Select all removes those whom it finds; the list says when each member joined', async () => {
  const members = [...addresses(3, 'lindgren'), ...addresses(2, 'okafor')];
  const cohort = await addCohort(fixture, 'Searched', { members });
  const { page } = staff;
  await openCohort(page, cohort, '1–5 of 5');
  const joined = page.getByRole('table', { name: 'Members' }).getByRole('row', { name: /okafor-1/ });
  await see(joined, shown(dayIn(0), 'en-US'));
  await page.getByRole('searchbox', { name: 'Search members' }).fill('lindgren');
  await see(page, '1–3 of 3');
  await tickOf(page, 'lindgren-2@learner.example').check();
  await button(barOf(page), 'Select all 3').click();
  await button(barOf(page), 'Remove').click();
  await see(dialog(page), '3 people, of whom 0 hold a code. They keep seeing the codes they hold.');
  await button(dialog(page), 'Remove 3 people').click();
  await takeToast(page, 'default', 'Success', '3 people removed');
  expect(await read(cohort)).toMatchObject({ members: 2 });
});

test('R-COHORT-33: if somebody else has changed the cohort, the second press archives it', async () => {
  const cohort = await addCohort(fixture, 'Archived by two');
  const { page } = staff;
  await openCohort(page, cohort, NONE_YET);
  await chooseAction(page, 'More for Archived by two', 'Archive Cohort');
  const body = { name: 'Archived by two', note: 'Theirs', archived: false, version: cohort.version };
  await fixture.admin.call(editCohort, { params: { id: cohort.cohort_id }, body });
  staff.allowComplaint(/409/);
  await button(dialog(page), 'Archive Cohort').click();
  const words = 'Somebody else changed this cohort meanwhile. Reload to see their version.';
  await takeToast(page, 'destructive', 'Error', words);
  await see(page, 'Theirs');
  await button(dialog(page), 'Archive Cohort').click();
  await see(page, 'This cohort is archived');
});

test('R-COHORT-04, R-COHORT-22: an archived cohort has no acts on products and is not offered in choices, until it is brought back', async () => {
  const members = addresses(2, 'archived');
  const cohort = await addCohort(fixture, 'Shelved', { products: [one()], members });
  const { page } = staff;
  await openCohort(page, cohort, '1–2 of 2');
  await chooseAction(page, 'More for Shelved', 'Archive Cohort');
  await see(dialog(page), '2 people, of whom 0 hold a code. They keep seeing the codes they hold.');
  await button(dialog(page), 'Archive Cohort').click();
  await takeToast(page, 'default', 'Success', 'Cohort archived');
  await see(page, 'This cohort is archived');
  expect(await button(page, 'Add products').count()).toBe(0);
  expect(await cardHeading(page, 'Add Members').count()).toBe(0);
  expect((await cells(page, products.one)).at(0)).toBe('Archived');
  await page.goto('/admin/users');
  const filter = page.getByRole('combobox', { name: 'Cohort' });
  await filter.waitFor();
  expect(await filter.locator('option').allTextContents()).not.toContain('Shelved');
  await page.goto(`${PATH}?show=archived`);
  await page.getByRole('link', { name: 'Shelved' }).click();
  await button(page, 'Bring back').click();
  await takeToast(page, 'default', 'Success', 'Cohort brought back');
  await button(page, 'Add products').waitFor();
});

test('R-COHORT-33: if somebody else has changed the name, the dialog keeps what was typed, shows theirs, and saves at the second press', async () => {
  const cohort = await addCohort(fixture, 'Contested');
  const { page } = staff;
  await openCohort(page, cohort, NONE_YET);
  await chooseAction(page, 'More for Contested', 'Edit name');
  const name = dialog(page).getByLabel('Name');
  expect(await hasFocus(name)).toBe(true);
  await name.fill('Mine');
  const body = { name: 'Theirs', note: null, archived: false, version: cohort.version };
  await fixture.admin.call(editCohort, { params: { id: cohort.cohort_id }, body });
  staff.allowComplaint(/409/);
  await button(dialog(page), 'Save').click();
  await see(dialog(page).getByRole('alert'), /^Somebody else changed this cohort meanwhile\./);
  await see(dialog(page), 'Their version', 'Theirs');
  await button(dialog(page), 'Use theirs: Name').click();
  expect(await name.inputValue()).toBe('Theirs');
  await name.fill('Ours');
  await button(dialog(page), 'Save').click();
  await takeToast(page, 'default', 'Success', 'Changes saved');
  await page.getByRole('heading', { level: 1, name: 'Ours' }).waitFor();
});

test('the page of an unknown cohort says so', async () => {
  const { page } = staff;
  staff.allowComplaint(/404/);
  await page.goto(cohortPath({ cohort_id: 'nowhere' }));
  await page.getByRole('heading', { level: 1, name: 'Cohort not found' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Cohorts' }).click();
  await page.waitForURL(`**${PATH}`);
});

test('R-COHORT-22: a cohort is dated, and members are selected and released, with the keyboard alone', async () => {
  const cohort = await addCohort(fixture, 'By keys', { products: [one()], members: addresses(2, 'keys') });
  const { page } = staff;
  await openCohort(page, cohort, '1–2 of 2');
  await tabTo(page, button(page, 'Change all dates'));
  await page.keyboard.press('Enter');
  await dialog(page).waitFor();
  await page.keyboard.press('Escape');
  expect(await hasFocus(button(page, 'Change all dates'))).toBe(true);
  await tabTo(page, tickOf(page, 'keys-2@learner.example'));
  await page.keyboard.press('Space');
  await see(barOf(page), '1 selected');
  await page.keyboard.press('Escape');
  await barOf(page).waitFor({ state: 'detached' });
  expect(await hasFocus(tickOf(page, 'keys-2@learner.example'))).toBe(true);
});

test('R-COHORT-27: a learner gets the product of the cohort, and no page names the cohort', async () => {
  const learner = 'reads@learner.example';
  await addCohort(fixture, 'Secret Name', { products: [one()], members: [learner] });
  const person = await openPerson(fixture);
  const bodies: Promise<string>[] = [];
  person.page.on('response', (response) => bodies.push(response.text().catch(() => '')));
  await arriveSignedIn(person, fixture, learner);
  await person.page.getByRole('link', { name: /See Details/ }).click();
  await person.page.getByRole('heading', { level: 1, name: products.one }).waitFor();
  expect((await Promise.all(bodies)).filter((body) => body.includes('Secret Name'))).toEqual([]);
});
