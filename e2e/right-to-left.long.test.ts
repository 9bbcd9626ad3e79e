// Tests right-to-left names and texts: each has its own direction and does not affect the text around it.
import { addNote, type Product, saveUser } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { choose, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, openPerson } from './harness/browser.ts';
import { addCohort, cohortPath } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { findRecord } from './harness/person-page.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { joinTeam } from './harness/team.ts';

const NAME = 'עט כותב 24!';
const DESCRIPTION = 'כלי כתיבה לשנה אחת, 12 חודשים.';
const LEARNER = 'amal@learner.example';

const fixture = setOwnFixture();
let product: Product;

beforeAll(async () => {
  product = await fixture.admin.addProduct({
    name: NAME,
    description: DESCRIPTION,
    header_text: 'קורס 3.',
    instructions: 'פתחו את https://partner.example/start/ והדביקו את הקוד.',
  });
  await fixture.admin.addCodes(product, 'RTL-1');
  await fixture.admin.addLearner(LEARNER, product);
});

/** Returns true if the browser shows the end of `words` to the left of their start. */
function readsFromTheRight(element: Locator, words: string): Promise<boolean> {
  return element.evaluate((root, sought) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      const start = node.data.indexOf(sought);
      if (start < 0) continue;
      const leftOf = (index: number) => {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(start + sought.length - 1) < leftOf(start);
    }
    throw new Error(`${sought} is not there`);
  }, words);
}

/** Names of one person and of what belongs to this person. */
type Names = Record<'person' | 'product' | 'cohort' | 'file', string>;
const LATIN: Names = { person: 'Amal Basha', product: 'Quill', cohort: 'Spring', file: 'codes.csv' };
const ARABIC: Names = { person: 'أمل باشا', product: 'قلم رصاص', cohort: 'دفعة الربيع', file: 'رموز.csv' };

const EMAILS = ['amal-1@learner.example', 'amal-2@learner.example'] as const;

/** Adds a learner with these names, who has a cohort, access to a product, a code and a note. */
async function addNamed(names: Names, email: string) {
  const { admin } = fixture;
  const added = await admin.addProduct({
    name: names.product,
    description: names.file,
  });
  await admin.importFile(added, names.file, 'coupon_code', `${email}-1`);
  await admin.call(saveUser, {
    body: { email, name: names.person, phone_number: null, product_ids: [added.product_id ?? ''] },
  });
  const cohort = await addCohort(fixture, names.cohort, { products: [added], members: [email] });
  await admin.giveCode(email, added);
  const record = await findRecord(fixture, email);
  const user_id = record.split('/').at(-1) ?? '';
  await admin.call(addNote, { body: { user_id, text: names.person } });
  return { record, cohort, product: added };
}

/**
 * Waits for the names `sought`, and returns where each of them begins, from left to right. Only the first name in a
 * sentence counts, because the place of a later name depends on the names before it.
 */
async function placesOf(page: Page, names: Names, sought: readonly (keyof Names)[]) {
  for (const name of sought) await page.getByText(names[name]).filter({ visible: true }).first().waitFor();
  return page.locator('body').evaluate(
    (root, all) => {
      const lefts = new Map(all.map(([name]) => [name, new Set<number>()]));
      const seen = new Set<Element>();
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode as Text;
        const found = all.find(([, text]) => node.data.includes(text));
        let block = node.parentElement;
        while (block && getComputedStyle(block).display === 'inline') block = block.parentElement;
        if (!found || !block?.checkVisibility() || seen.has(block)) continue;
        seen.add(block);
        const [name, text] = found;
        const range = document.createRange();
        range.setStart(node, node.data.indexOf(text));
        range.setEnd(node, node.data.indexOf(text) + text.length);
        const { left, width } = range.getBoundingClientRect();
        if (width > 1) lefts.get(name)?.add(Math.round(left));
      }
      return Object.fromEntries([...lefts].map(([name, each]) => [name, [...each].sort((a, b) => a - b)]));
    },
    sought.map((name) => [name, names[name]] as const),
  );
}

test('a learner sees product, description and steps right to left, and the words around them left to right', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, LEARNER);
  const card = page.getByRole('article');
  expect(await readsFromTheRight(card, NAME)).toBe(true);
  expect(await readsFromTheRight(card, DESCRIPTION)).toBe(true);
  await card.getByRole('link').click();
  await page.getByRole('button', { name: 'View code' }).waitFor();
  const main = page.getByRole('main');
  for (const words of [NAME, DESCRIPTION, 'קורס 3.'])
    expect(await readsFromTheRight(main, words), words).toBe(true);
  expect(await readsFromTheRight(main, ' והדביקו את הקוד.')).toBe(true);
  expect(await readsFromTheRight(main, 'https://partner.example/start/')).toBe(false);
  await page.getByRole('button', { name: 'View code' }).click();
  const title = page.getByRole('dialog').getByRole('heading');
  expect(await readsFromTheRight(title, NAME)).toBe(true);
  expect(await title.textContent()).toBe(`Your ${NAME} coupon`);
});

test('an administrator sees each name under its column header, and can type one right to left', async () => {
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/products');
  const name = page.getByRole('rowheader', { name: NAME });
  expect(await readsFromTheRight(name, NAME)).toBe(true);
  const head = page.getByRole('columnheader', { name: 'Description' });
  const cell = page.getByRole('cell', { name: DESCRIPTION });
  const leftOfWords = (element: Locator) =>
    element.evaluate((cellOrHead) => {
      const range = document.createRange();
      range.selectNodeContents(cellOrHead);
      // A text that is cut begins at the left edge of the element that cuts it.
      const cutAt = cellOrHead.firstElementChild?.getBoundingClientRect().left ?? 0;
      return Math.round(Math.max(range.getBoundingClientRect().left, cutAt));
    });
  expect(await leftOfWords(cell)).toBe(await leftOfWords(head));
  await openCard(page, 'Add New Product');
  const field = page.getByRole('textbox', { name: 'Name' });
  await field.fill(NAME);
  expect(await field.evaluate((input) => input.matches(':dir(rtl)'))).toBe(true);
  await page.goto('/admin/coupons?open=add');
  // The label shows the number of free codes after the name. The isolation characters keep the number out of the
  // right-to-left text.
  const select = page.getByRole('combobox', { name: 'Product', exact: true });
  await choose(select, NAME);
  // The numbers are loaded after the names.
  await expect
    .poll(() => select.evaluate((element: HTMLSelectElement) => element.selectedOptions[0]?.label))
    .toMatch(new RegExp(`^\u2068${NAME}\u2069 \\(\\d left\\)$`));
});

test('each list and page of staff begins a right-to-left name where it begins any other name, on phones and on wide screens', async () => {
  const latin = await addNamed(LATIN, EMAILS[0]);
  const arabic = await addNamed(ARABIC, EMAILS[1]);
  // The columns of a table are as wide as its texts, so members are compared on one page.
  const both = await addCohort(fixture, 'All', { members: [...EMAILS] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
  const productPath = ({ product: { product_id } }: typeof latin) => `/admin/products/${product_id}`;
  const viewPath = ({ record }: typeof latin) => record.replace('/users/', '/view-as/');
  const open = (path: string) => page.goto(path, { waitUntil: 'networkidle' });
  /** Returns the positions on a wide screen, and on a phone, which does not show the names `wideOnly`. */
  const placesAt = async (names: Names, sought: (keyof Names)[], wideOnly: (keyof Names)[]) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const wide = await placesOf(page, names, [...sought, ...wideOnly]);
    await page.setViewportSize({ width: 390, height: 844 });
    return { wide, phone: await placesOf(page, names, sought) };
  };
  const compareOn = async (path: string, sought: (keyof Names)[], wideOnly: (keyof Names)[] = []) => {
    await open(path);
    const places = await placesAt(LATIN, sought, wideOnly);
    expect(await placesAt(ARABIC, sought, wideOnly), path).toEqual(places);
  };
  const compare = async (path: string, otherPath: string, sought: (keyof Names)[]) => {
    await open(path);
    const places = await placesAt(LATIN, sought, []);
    await open(otherPath);
    const others = await placesAt(ARABIC, sought, []);
    // Lines of one second are grouped, so the number of lines in a timeline varies.
    for (const size of ['wide', 'phone'] as const) {
      for (const name of sought) {
        const [fewer = [], more = []] = [places[size][name] ?? [], others[size][name] ?? []].sort(
          (a, b) => a.length - b.length,
        );
        // A name inside a sentence begins at a fraction of a pixel, which may round up or down.
        const missing = fewer.filter((place) => !more.some((other) => Math.abs(other - place) <= 1));
        expect(missing, `${path} ${size} ${name}: none of ${more}`).toEqual([]);
      }
    }
  };
  await compareOn('/admin', ['product']);
  await compareOn('/admin/products', ['product']);
  await compareOn('/admin/users', ['person'], ['cohort']);
  await compareOn(cohortPath(both), ['person']);
  await compareOn('/admin/users/cohorts', ['cohort']);
  await compareOn('/admin/coupons', ['product']);
  await compareOn('/admin/coupons/uploads', ['product', 'file']);
  // Lines of one second are grouped, except notes.
  await compareOn('/admin/activity', ['person']);
  await compare(latin.record, arabic.record, ['person', 'product', 'cohort']);
  await compare(cohortPath(latin.cohort), cohortPath(arabic.cohort), ['product', 'cohort']);
  await compare(productPath(latin), productPath(arabic), ['product', 'file']);
  await compare(viewPath(latin), viewPath(arabic), ['product']);
  // At the end, because members of the team get mails, which their records show.
  for (const email of EMAILS) await joinTeam(fixture, email, 'viewer');
  await compareOn('/admin/users/team', ['person']);
});
