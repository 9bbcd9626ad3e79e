// Checks the pages about cohorts, and the list of users while people are selected, for accessibility and layout
// defects: in English in both themes, and in German.
import { addMembers, type Cohort, createCohort, editCohort, type Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { chooseAction, csv, fileInput, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { cohortPath } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { dayIn } from './harness/states.ts';
import { openMember } from './harness/team.ts';
import { wordsIn } from './harness/words.ts';

const LOCALES = ['en-GB', 'de-DE'];
const NAME = `Herbst ${'Donaudampfschifffahrt'.repeat(5)}`;
const EMAIL = `${'a-long-address'.repeat(4)}@learner.example`;

const fixture = setOwnFixture();
let product: Product;
let cohort: Cohort;
let archived: Cohort;

const create = (name: string, product_ids: string[]) =>
  fixture.admin.call(createCohort, {
    body: { name, note: NAME.repeat(3), product_ids, starts_on: dayIn(-40), ends_on: dayIn(200) },
  });

beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: `Tarnquill ${'Donaudampfschifffahrt'.repeat(5)}` });
  await fixture.admin.addProduct({ name: 'Lumenforge' });
  cohort = await create(NAME, [product.product_id ?? '']);
  for (const each of [cohort, await create(`${NAME} 2`, []), await create('Third', [])]) {
    const emails = [EMAIL, ...Array.from({ length: 24 }, (_email, at) => `m${at}@learner.example`)];
    await fixture.admin.call(addMembers, { params: { id: each.cohort_id }, body: { emails } });
  }
  archived = await create('Archived', [product.product_id ?? '']);
  const { name, note, version } = archived;
  const body = { name, note, version, archived: true, expected: 0 };
  await fixture.admin.call(editCohort, { params: { id: archived.cohort_id }, body });
});

type Staff = {
  page: Page;
  t: ReturnType<typeof wordsIn>;
  press: (text: string, values?: Record<string, string | number>) => Promise<void>;
  check: () => Promise<void>;
  close: () => Promise<void>;
};

type State = {
  name: string;
  path: () => string;
  /** Text that shows that the page has loaded. */
  words: string;
  values?: Record<string, string | number>;
  /** URL patterns. Requests that match `held` get no response; requests that match `failed` get a 500. */
  held?: string;
  failed?: string;
  complaint?: RegExp;
  act?: (staff: Staff) => Promise<void>;
};

const LIST = '/admin/users/cohorts';
const RANGE = { from: 1, to: 20, total: 25 };
const dialogOf = (page: Page) => page.locator('dialog[open]');
const boxes = (page: Page) => page.getByRole('checkbox');

const states: State[] = [
  { name: 'the list of cohorts', path: () => LIST, words: 'Existing Cohorts' },
  {
    name: 'the list as it loads',
    path: () => LIST,
    words: 'Loading cohorts...',
    held: '**/api/admin/cohorts',
  },
  {
    name: 'the list that cannot be loaded',
    path: () => LIST,
    words: 'Try again',
    failed: '**/api/admin/cohorts',
    complaint: /500/,
  },
  {
    name: 'the form with problems, and the products to choose from',
    path: () => LIST,
    words: 'Add New Cohort',
    act: async ({ page, t, press }) => {
      await openCard(page, t('Add New Cohort'));
      await press('Create Cohort');
      await see(page, t('Enter a name'));
      await page.getByRole('button', { name: new RegExp(`^${t('Products')}`) }).click();
      await boxes(page).first().waitFor();
    },
  },
  {
    name: 'a cohort, and the dialogs about its products',
    path: () => cohortPath(cohort),
    words: '{from}–{to} of {total}',
    values: RANGE,
    act: async ({ page, t, press, check, close }) => {
      await check();
      for (const name of ['Change all dates', 'Add products', 'Edit name', 'Archive Cohort']) {
        if (name === 'Edit name' || name === 'Archive Cohort')
          await chooseAction(page, t('More for {product}', { product: NAME }), t(name));
        else await press(name);
        await dialogOf(page).waitFor();
        await check();
        await close();
      }
      const menu = t('More for {product}', { product: product.name });
      await chooseAction(page, menu, t('Change dates'));
      await check();
      await close();
      await chooseAction(page, menu, t('Remove'));
      await dialogOf(page).getByLabel(t('Reason')).fill('x');
      await dialogOf(page).getByRole('button').last().click();
      await see(page, t('Give a reason of at least {count} characters', { count: 3 }));
    },
  },
  {
    name: 'a cohort with selected members, and the dialogs about them',
    path: () => cohortPath(cohort),
    words: '{from}–{to} of {total}',
    values: RANGE,
    act: async ({ page, t, press, check, close }) => {
      await boxes(page).nth(2).check();
      await check();
      await press('Select all {count}', { count: 25 });
      for (const name of ['Remove', 'Move to…']) {
        await press(name);
        await dialogOf(page).waitFor();
        await check();
        await close();
      }
      await see(page, t('{count} selected', { count: 25 }));
    },
  },
  {
    name: 'a cohort after an upload, and a line that is no address',
    path: () => cohortPath(cohort),
    words: '{from}–{to} of {total}',
    values: RANGE,
    act: async ({ page, t }) => {
      await openCard(page, t('Bulk Upload Users'));
      await fileInput(page).setInputFiles(csv(`${'long-'.repeat(20)}.csv`, 'email,name', 'nobody,N', EMAIL));
      await see(page, t('Members before'));
      await openCard(page, t('Add Members'));
      await page.getByLabel(t('Email addresses')).fill('Bo Diddley');
      await page
        .locator('form')
        .getByRole('button', { name: t('Add people') })
        .click();
      await see(page, t('Line {line} is not an email address: {text}', { line: 1, text: 'Bo Diddley' }));
    },
  },
  { name: 'an archived cohort', path: () => cohortPath(archived), words: 'Nobody is in this cohort yet.' },
  {
    name: 'the list of users with selected people, and the dialogs about them',
    path: () => `/admin/users?cohort_id=${cohort.cohort_id}`,
    words: '{from}–{to} of {total}',
    values: RANGE,
    act: async ({ page, press, check, close }) => {
      await check();
      await boxes(page).first().check();
      // On phones, the bar sticks to the top of the window and covers rows that are scrolled below it.
      const toTop = () => page.evaluate(() => scrollTo(0, 0));
      await toTop();
      await check();
      for (const name of ['Add to cohort', 'Give products', 'Remove from cohort']) {
        await press(name);
        await dialogOf(page).waitFor();
        await toTop();
        await check();
        await close();
      }
    },
  },
  {
    name: 'the progress of an act on many people',
    path: () => '/admin/users?job=large',
    words: 'You can leave this page. It continues.',
  },
];

const large = {
  ...{ id: 'large', kind: 'act', act: 'join', state: 'running', rows_total: 9000, rows_done: 4500 },
  ...{ results: null, reason: null, file_name: null, errors_count: 0, errors: [] },
  ...{ created_at: '2026-11-20T09:00:00Z', created_by: ADMIN_EMAIL },
};

test.each(states.flatMap((state) => LOCALES.map((locale) => ({ ...state, locale }))))(
  'R-COHORT-21, R-COHORT-22, R-IMP-30: $name ($locale): no axe violation, nothing cut off, covered, too small or moving',
  async ({ path, words, values, held, failed, complaint, act, locale }) => {
    const t = wordsIn(locale);
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    if (complaint) person.allowComplaint(complaint);
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
    await page.route('**/api/admin/imports/large', (route) => route.fulfill({ json: large }));
    if (held) await holdCalls(page, held);
    if (failed) await page.route(failed, (route) => route.fulfill({ status: 500, body: 'no' }));
    const check = () => expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    await page.goto(path());
    await see(page, t(words, values));
    const press = (text: string, to?: Record<string, string | number>) =>
      page
        .getByRole('button', { name: t(text, to), exact: true })
        .first()
        .click();
    await act?.({ page, t, press, check, close: () => page.keyboard.press('Escape') });
    await check();
  },
);

test('R-TEAM-32: the list of cohorts of a viewer, and a cohort of support', async () => {
  const { page: viewer } = await openMember(fixture, 'viewer', 'axe-viewer@provider.example', LIST);
  await viewer.getByRole('table').waitFor();
  await expectNoDefect(viewer);
  const path = cohortPath(cohort);
  const { page: support } = await openMember(fixture, 'support', 'axe-support@provider.example', path);
  await see(support, '1–20 of 25');
  await expectNoDefect(support);
});
