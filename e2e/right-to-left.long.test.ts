// Tests right-to-left names and texts: each has its own direction and does not affect the text around it.
import type { Product } from '@portal/contract';
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { choose } from './harness/admin-pages.ts';
import { arriveSignedIn, openPerson } from './harness/browser.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { setScene } from './harness/scene.ts';

const NAME = 'עט כותב 24!';
const DESCRIPTION = 'כלי כתיבה לשנה אחת, 12 חודשים.';
const LEARNER = 'amal@learner.example';

const scene = setScene();
let product: Product;

beforeAll(async () => {
  product = await scene.admin.addProduct({
    name: NAME,
    description: DESCRIPTION,
    header_text: 'קורס 3.',
    instructions: 'פתחו את https://partner.example/start/ והדביקו את הקוד.',
  });
  await scene.admin.addCodes(product, 'RTL-1');
  await scene.admin.addLearner(LEARNER, product);
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

test('a learner sees product, description and steps right to left, and the words around them left to right', async () => {
  const person = await openPerson(scene);
  const { page } = person;
  await arriveSignedIn(person, scene, LEARNER);
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
  const person = await openPerson(scene);
  const { page } = person;
  await arriveSignedIn(person, scene, ADMIN_EMAIL, '/admin/products');
  const name = page.getByRole('rowheader', { name: NAME });
  expect(await readsFromTheRight(name, NAME)).toBe(true);
  const head = page.getByRole('columnheader', { name: 'Description' });
  const cell = page.getByRole('cell', { name: DESCRIPTION });
  const leftOfWords = (element: Locator) =>
    element.evaluate((cellOrHead) => {
      const range = document.createRange();
      range.selectNodeContents(cellOrHead);
      return Math.round(range.getBoundingClientRect().left);
    });
  expect(await leftOfWords(cell)).toBe(await leftOfWords(head));
  const field = page.getByRole('textbox', { name: 'Name' });
  await field.fill(NAME);
  expect(await field.evaluate((input) => input.matches(':dir(rtl)'))).toBe(true);
  await page.goto('/admin/coupons');
  // The label shows the number of free codes after the name. The isolation characters keep the number out of the
  // right-to-left text.
  const select = page.getByRole('combobox', { name: 'Product', exact: true });
  await choose(select, NAME);
  const chosen = await select.evaluate((element: HTMLSelectElement) => element.selectedOptions[0]?.label);
  expect(chosen).toMatch(new RegExp(`^\u2068${NAME}\u2069 \\(\\d left\\)$`));
});
