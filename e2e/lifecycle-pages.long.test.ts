// Checks the staff pages of products, access and uploads, and the closed tickets of visitors, for accessibility and
// layout defects: in English in both themes, and in German.
import type { Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { edit, setStatus } from './harness/products.ts';
import { FAR, LONG_AGO } from './harness/states.ts';
import { wordsIn } from './harness/words.ts';

const LOCALES = ['en-GB', 'de-DE'];
/** A learner with a code, and with access to one product and to all. */
const HOLDER = 'hild@learner.example';
const NAME = `Tarnquill ${'Donaudampfschifffahrt'.repeat(5)}`;
const CODE = 'HELD-'.repeat(40);

const fixture = setOwnFixture();
let product: Product;
let paused: Product;
let ended: Product;
let scheduled: Product;

const fileOf = (locale: string) => `${'a-long-name-'.repeat(4)}${locale}.csv`;

beforeAll(async () => {
  const { admin } = fixture;
  const addProduct = () => admin.addProduct({ name: NAME, description: NAME.repeat(5) });
  product = await addProduct();
  await admin.addLearner(HOLDER, product);
  await admin.addCodes(product, CODE);
  await admin.giveAccess(HOLDER, 'all', { ends_on: '2099-12-31' });
  await admin.giveCode(HOLDER, product);
  for (const locale of LOCALES) {
    const lines = [`${locale}-1,2099-06-30`, `${locale}-2,`, `${locale}-3,`];
    await admin.importFile(product, fileOf(locale), 'coupon_code,use_by', ...lines);
  }
  const other = await offerProduct(fixture, { codes: ['REVOKED-1'], learners: [HOLDER] });
  await admin.giveCode(HOLDER, other);
  await admin.addCodes(other, 'VOID-1');
  for (const code of ['REVOKED-1', 'VOID-1']) await admin.undo(other, code);
  [paused, ended, scheduled] = [await addProduct(), await addProduct(), await addProduct()];
  await setStatus(fixture, paused, 'paused');
  await edit(fixture, ended, { closes_on: LONG_AGO });
  await edit(fixture, scheduled, { opens_on: FAR });
  await setStatus(fixture, await addProduct(), 'archived');
});

type Say = ReturnType<typeof wordsIn>;
type Staff = {
  page: Page;
  t: Say;
  locale: string;
  press: (text: string, values?: Record<string, string | number>) => Promise<void>;
  /** Checks the page as it is now. */
  check: () => Promise<void>;
};

type State = {
  name: string;
  path: (made: { product: Product }) => string;
  /** Text that shows that the page has loaded. */
  words: string;
  complaint?: RegExp;
  act?: (staff: Staff) => Promise<unknown>;
};

const toProduct: State['path'] = ({ product: { product_id } }) => `/admin/products/${product_id}`;
const dialogOf = (page: Page) => page.getByRole('alertdialog').or(page.getByRole('dialog'));

const states: State[] = [
  { name: 'the list of products with their tags', path: () => '/admin/products', words: 'Scheduled' },
  {
    name: 'the list of archived products, and an archived product',
    path: () => '/admin/products?show=archived',
    words: 'Archived',
    act: async ({ page, t, check }) => {
      await check();
      await page
        .getByRole('table', { name: t('Products') })
        .getByRole('link')
        .click();
      await see(page, t('Bring back'));
    },
  },
  {
    name: 'a product, and the questions before it is paused, archived or left',
    path: toProduct,
    words: 'Uploads of this product',
    act: async ({ page, t, press, check }) => {
      await check();
      await press('Pause');
      await dialogOf(page).waitFor();
      await check();
      await press('Cancel');
      await page.getByRole('button', { name: t('More for {product}', { product: product.name }) }).click();
      await check();
      await page.getByRole('menuitem', { name: t('Archive') }).click();
      await dialogOf(page).waitFor();
      await check();
      await press('Cancel');
      await press('Edit');
      await check();
      await page.getByLabel(t('Header Text')).fill('Half a thought');
      await page.getByRole('link', { name: t('Users'), exact: true }).click();
      await see(page, t('Leave without saving?'));
    },
  },
  {
    name: 'a product that somebody else has changed',
    path: toProduct,
    words: 'Uploads of this product',
    complaint: /409/,
    act: async ({ page, t, locale, press, check }) => {
      await edit(fixture, product, { description: `Theirs ${locale} ${NAME}`, closes_on: FAR });
      await press('Edit');
      await page.getByLabel(t('Description')).fill('Mine');
      await press('Save Changes');
      await see(page, t('Somebody else changed this product meanwhile.'));
      await check();
      await press('Show their version');
      await see(page, t('Their version'));
    },
  },
  {
    name: 'the menu of an access, and each of its dialogs',
    path: () => '/admin/users?open=access',
    words: HOLDER,
    act: async ({ page, t, press, check }) => {
      await page.getByLabel(t('User email')).fill(HOLDER);
      await press('View Products');
      const item = page.getByRole('listitem').filter({ hasText: 'HELD-' });
      const opener = item.getByRole('button', { name: t('More for {product}', { product: NAME }) });
      for (const name of ['Change dates', 'Remove access', 'Revoke code', 'Replace code']) {
        await opener.click();
        await page.getByRole('menu').waitFor();
        if (name === 'Change dates') await check();
        await page.getByRole('menuitem', { name: t(name) }).click();
        // For dates, a reason is required only if the access ends earlier.
        if (name === 'Change dates')
          await dialogOf(page)
            .getByRole('textbox', { name: t('Until') })
            .fill('2000-01-01');
        if (name === 'Replace code') await dialogOf(page).getByText(t('Other…')).click();
        await dialogOf(page).locator('[type=submit]').click();
        await see(page, t('Give a reason of at least {count} characters', { count: 3 }));
        await check();
        await press('Cancel');
      }
    },
  },
  { name: 'the list of uploads', path: () => '/admin/coupons/uploads', words: 'Uploads' },
  {
    name: 'an upload, its dialogs, the progress of its job and the result',
    path: () => '/admin/coupons/uploads',
    words: 'Uploads',
    act: async ({ page, t, locale, press, check }) => {
      await page.getByRole('link', { name: fileOf(locale) }).click();
      await see(page, t('The available codes have several last days.'));
      await check();
      await press('Set last day');
      await dialogOf(page).getByLabel(t('Last day')).fill(LONG_AGO);
      await see(page, t('This day is not in the future. The codes will expire.'));
      await check();
      await press('Cancel');
      await press('Void unused codes');
      await page.getByRole('radio').last().check();
      await check();
      const state = '**/api/admin/imports/*';
      await page.route(state, async (route) => {
        const reply = await route.fetch();
        const json = { ...(await reply.json()), state: 'running', rows_done: 1, results: null };
        await route.fulfill({ response: reply, json });
      });
      await press('Void {count} codes', { count: 3 });
      await page.getByRole('progressbar').waitFor();
      await check();
      // Waits for a response that is being changed: without the route it could not be sent any more.
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('region', { name: t('Result') }).waitFor();
      await see(page, t('None left.'));
    },
  },
  {
    name: 'the list of revoked codes',
    path: () => '/admin/coupons?status=revoked',
    words: 'REVOKED-1',
  },
  { name: 'the list of void codes', path: () => '/admin/coupons?status=void', words: 'VOID-1' },
];

test.each(LOCALES.flatMap((locale) => states.map((state) => ({ ...state, locale }))))(
  '$locale: $name: no axe violation, nothing cut off, covered, too small or moving',
  async ({ locale, path, words, complaint, act }) => {
    const t = wordsIn(locale);
    const person = await openPerson(fixture, { locale });
    if (complaint) person.allowComplaint(complaint);
    const { page } = person;
    const press: Staff['press'] = (...text) =>
      page.getByRole('button', { name: t(...text), exact: true }).click();
    const check = () => expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    const isData = /[-@]/.test(words);
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
    await page.goto(path({ product }));
    await see(page.getByRole('main'), isData ? words : t(words));
    await act?.({ page, t, locale, press, check });
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale.slice(0, 2));
    await check();
  },
);

test.each(LOCALES)(
  'N-101: %s: a visitor’s closed tickets: no axe violation, nothing cut off, covered, too small or moving',
  async (locale) => {
    const t = wordsIn(locale);
    const { page } = await openPerson(fixture, { locale });
    for (const [{ product_id }, title] of [
      [paused, 'Paused'],
      [ended, 'This offer has ended'],
      [scheduled, 'Not open yet'],
    ] as const) {
      await page.goto(`/product/${product_id}`);
      await page.getByRole('heading', { level: 2, name: t(title) }).waitFor();
      await expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    }
  },
);
