// Checks the pages of files for accessibility and layout defects, in English in both themes and in German: the check of
// a file, the questions about it, the summary, the undo dialogs, and the lists of uploads.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type CsvFile, choose, chooseFile, csv, fileInput } from './harness/admin-pages.ts';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { wordsIn } from './harness/words.ts';

const LOCALES = ['en-GB', 'de-DE'];
const NAME = `Tarnquill ${'Donaudampfschifffahrt'.repeat(5)}`;
const LONG = 'a-long-name-'.repeat(6);

const fixture = setOwnFixture();

beforeAll(async () => {
  const product = await fixture.admin.addProduct({ name: NAME });
  await fixture.admin.addCodes(product, 'KNOWN-1');
  const other = await fixture.admin.addProduct({ name: `Other ${'Kraftfahrzeug'.repeat(8)}` });
  await fixture.admin.addCodes(other, 'en-1', 'de-1');
});

type Staff = {
  page: Page;
  t: ReturnType<typeof wordsIn>;
  /** Two letters that begin the codes and names of this language. */
  mark: string;
  press: (text: string, values?: Record<string, string | number>) => Promise<void>;
  /** Presses `Check File First`, and chooses the file. */
  checkFile: (file: CsvFile) => Promise<void>;
  check: () => Promise<void>;
};

const states: { name: string; path: string; act: (staff: Staff) => Promise<unknown> }[] = [
  {
    name: 'a checked file of codes, its summary, and the question before it is taken back',
    path: '/admin/coupons?open=upload',
    act: async ({ page, t, mark, press, checkFile, check }) => {
      await choose(page.getByLabel(t('Select Product for Bulk Upload*')), NAME);
      const head = `code,use_by,${'a long note '.repeat(8)}`;
      const codes = [`${mark}-1,,n`, `${mark}-2,2099-06-30,n`, `${mark}-${'2'.repeat(90)},,n`, 'KNOWN-1,,n'];
      await checkFile(csv(`${LONG}${mark}.csv`, head, ...codes, `${mark} 3,never,n`, `${mark}-4,never,n`));
      await see(page, t('Nothing was imported yet.'));
      await check();
      await press('Import {count} codes for {product}', { count: 3, product: NAME });
      await see(page, t('Download duplicates'));
      await check();
      await press('Take back this upload');
      await page.getByRole('alertdialog').waitFor();
      await check();
      await press('Cancel');
    },
  },
  {
    name: 'the questions about the columns, the first line and rows without a code',
    path: '/admin/coupons?open=upload',
    act: async ({ page, t, mark, press, checkFile, check }) => {
      await choose(page.getByLabel(t('Select Product for Bulk Upload*')), NAME);
      const row = `${mark}-COL-1;Partner;EUR 240;${'Bemerkung '.repeat(5)};x;y`;
      await checkFile(csv(`${LONG}.csv`, 'Nr;Firma;Wert;Notiz;A;B', row, row));
      await see(page, t('Which column holds the codes?'));
      await page.getByLabel(t('Meaning of column {column}', { column: '1' })).selectOption(t('Code'));
      await check();
      await press('Discard');
      await checkFile(csv(`${LONG}.csv`, 'Gutscheine', `${mark}-ONE-1`));
      await see(page, t('Is the first line a code?'));
      await check();
      await press('Discard');
      await checkFile(csv(`${LONG}.csv`, 'code,use_by', `${mark}-B-1,`, ',2099-06-30', ',2099-06-30'));
      await page.getByRole('alertdialog').waitFor();
      await check();
      await press('Leave them out');
      await see(page, t('Nothing was imported yet.'));
    },
  },
  {
    name: 'a file without new codes',
    path: '/admin/coupons?open=upload',
    act: async ({ page, t, checkFile }) => {
      await choose(page.getByLabel(t('Select Product for Bulk Upload*')), NAME);
      await checkFile(csv('known.csv', 'coupon_code', 'KNOWN-1'));
      await see(page, t('Every code of this file is here already or failed.'));
    },
  },
  {
    name: 'a summary with mails, the question before people are taken back, and the recent uploads',
    path: '/admin/users?open=upload',
    act: async ({ page, t, mark, press, check }) => {
      await page
        .getByRole('button', { name: t('Select products') })
        .first()
        .click();
      await page.getByRole('checkbox', { name: NAME, exact: true }).check();
      await page.keyboard.press('Escape');
      await page.getByRole('checkbox', { name: t('Tell them by email') }).check();
      await check();
      const people = [`${mark}-${'x'.repeat(50)}@learner.example,${NAME}`, 'no-address,Nobody'];
      await fileInput(page).setInputFiles(csv(`${LONG}${mark}.csv`, 'email,name', ...people));
      await see(page, t('‘Your benefits are ready’'), t('Recent uploads'));
      await check();
      await press('Take back this upload');
      await page.getByRole('alertdialog').waitFor();
      await check();
      await page
        .getByRole('alertdialog')
        .getByRole('button', { name: t('Take back'), exact: true })
        .click();
      await see(page, t('This upload was taken back.'));
    },
  },
  {
    name: 'the list of uploads with each state',
    path: '/admin/coupons/uploads',
    act: async ({ page, t }) =>
      see(
        page,
        t('Checked'),
        t('{done} of {total} added, {failed} failed', { done: 3, total: 6, failed: 2 }),
      ),
  },
];

test.each(LOCALES.flatMap((locale) => states.map((state) => ({ ...state, locale }))))(
  '$locale: $name: no axe violation, nothing cut off, covered, too small or moving',
  async ({ locale, path, act }) => {
    const t = wordsIn(locale);
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    const press: Staff['press'] = (...text) =>
      page.getByRole('button', { name: t(...text), exact: true }).click();
    const checkFile: Staff['checkFile'] = (file) => chooseFile(page, t('Check File First'), file);
    const check = () => expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await act({ page, t, mark: locale.slice(0, 2), press, checkFile, check });
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale.slice(0, 2));
    await check();
  },
);
