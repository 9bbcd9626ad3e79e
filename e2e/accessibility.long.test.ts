// Every page and state, in light and dark, on a phone and on a desk: no fault that axe can find, nothing cut off.
import { randomUUID } from 'node:crypto';
import { AxeBuilder } from '@axe-core/playwright';
import type { Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, openPerson, type Person, see } from './harness/browser.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const HEIGHT_PX = 900;
const LEARNER = 'axel@learner.example';
const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitaen'.repeat(4);

const looks = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
  { colorScheme: 'dark', width: 1440 },
  { colorScheme: 'light', width: 390 },
] as const;

const scene = setScene();
let product: Product;
let emptyProduct: Product;

beforeAll(async () => {
  product = await scene.admin.addProduct({
    name: LONG_WORD.slice(0, 120),
    description: `${LONG_WORD} ${'A long description. '.repeat(20)}`,
    instructions: `Open https://partner.example/${LONG_WORD}\nEnter the code`,
  });
  emptyProduct = await offerProduct(scene, {});
  await scene.admin.addCodes(product, 'AXE-'.repeat(20));
  await scene.admin.addLearner(LEARNER, product, emptyProduct);
});

type Screen = {
  name: string;
  complaint?: RegExp;
  show(person: Person): Promise<void>;
};

const screens: Screen[] = [
  { name: 'home of a visitor', show: ({ page }) => visit(page, '/', 'Login to redeem your coupons') },
  {
    name: 'the login dialog',
    show: async ({ page }) => {
      await visit(page, '/', 'Login');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await see(page, 'Sign In to Redeem');
    },
  },
  {
    name: 'the login dialog with an error',
    show: async ({ page }) => {
      await visit(page, '/', 'Login');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await page.getByRole('button', { name: 'Send Magic Link' }).click();
      await see(page, 'Please enter your email address');
    },
  },
  {
    name: 'the login dialog after sending',
    show: async ({ page }) => {
      await visit(page, '/', 'Login');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('axe@stranger.example');
      await page.getByRole('button', { name: 'Send Magic Link' }).click();
      await see(page, 'Magic Link Sent!');
    },
  },
  {
    name: 'the grid of a learner',
    show: async (person) => {
      await arriveSignedIn(person, scene, LEARNER);
      await see(person.page, 'Your Partner Benefits', emptyProduct.name);
    },
  },
  ...['/', '/accelerator', '/fellowship'].map((path) => ({
    name: `the empty state of ${path}`,
    show: async (person: Person) => {
      await arriveSignedIn(person, scene, 'nobody@stranger.example', path);
      await person.page.getByRole('main').getByRole('heading', { level: 2 }).waitFor();
    },
  })),
  {
    name: 'the product page of a visitor',
    show: async ({ page }) => visit(page, `/product/${product.product_id}`, 'Redeem Now'),
  },
  {
    name: 'a code on the screen',
    show: async (person) => {
      await arriveSignedIn(person, scene, LEARNER, `/product/${product.product_id}`);
      await see(person.page, 'AXE-'.repeat(20));
    },
  },
  {
    name: 'the dialog of a code',
    show: async (person) => {
      await arriveSignedIn(person, scene, LEARNER, `/product/${product.product_id}`);
      await person.page.getByRole('button', { name: 'View code' }).click();
      await person.page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'a toast',
    show: async (person) => {
      await arriveSignedIn(person, scene, LEARNER, `/product/${product.product_id}`);
      await person.page.getByRole('button', { name: 'Copy', exact: true }).click();
      await see(person.page, 'Success!');
      // The pointer keeps it from leaving.
      await person.page.getByText('Success!', { exact: true }).hover();
    },
  },
  {
    name: 'no codes left',
    complaint: /409/,
    show: async (person) => {
      await arriveSignedIn(person, scene, LEARNER, `/product/${emptyProduct.product_id}`);
      await see(person.page, 'No codes left');
    },
  },
  {
    name: 'a refused redemption',
    complaint: /403/,
    show: async (person) => {
      await arriveSignedIn(person, scene, 'nobody@stranger.example', `/product/${product.product_id}`);
      await person.page.getByText(/Seems like your email is not registered/).waitFor();
    },
  },
  {
    name: 'an unknown product',
    complaint: /404/,
    show: async ({ page }) => {
      await page.goto(`/product/${randomUUID()}`);
      await see(page, 'Redirecting to home page...');
    },
  },
  { name: 'an unknown path', show: ({ page }) => visit(page, '/nowhere', '404 Page Not Found') },
  { name: 'admins only', show: ({ page }) => visit(page, '/admin-access-restricted', 'Back to Home') },
  { name: 'access denied', show: ({ page }) => visit(page, '/admin/access-denied', 'Back to Home') },
  {
    name: 'the page of a mailed link',
    show: ({ page }) => visit(page, '/auth/v1/confirm?token_hash=abc&type=magiclink', 'Continue'),
  },
];

test.each(screens)('$name: no fault that axe can find, and nothing cut off', async ({ complaint, show }) => {
  for (const { colorScheme, width } of looks) {
    const person = await openPerson(scene, { colorScheme, viewport: { width, height: HEIGHT_PX } });
    if (complaint) person.allowComplaint(complaint);
    await show(person);
    const { violations } = await new AxeBuilder({ page: person.page }).analyze();
    expect(violations.map(describeViolation), colorScheme).toEqual([]);
    expect(await measureOverflow(person.page), `pixels too wide at ${width}`).toBe(0);
  }
});

function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(0, scrollWidth - clientWidth);
  });
}

async function visit(page: Page, path: string, words: string): Promise<void> {
  await page.goto(path);
  await see(page, words);
}

function describeViolation({
  id,
  nodes,
}: {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}) {
  return nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`);
}
