// Checks each state of the learners' and visitors' pages for accessibility and layout defects and for console errors.
import { randomUUID } from 'node:crypto';
import type { Product } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, navigateInApp, openPerson, type Person, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls, holdTimers } from './harness/hold.ts';
import { expectNoDefect } from './harness/page-defects.ts';

const LEARNER = 'axel@learner.example';
const REDIRECT_DELAY_MS = 2000;
const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftskapitaen'.repeat(4);

const fixture = setFixture();
let product: Product;
let emptyProduct: Product;

beforeAll(async () => {
  product = await fixture.admin.addProduct({
    name: LONG_WORD.slice(0, 120),
    description: `${LONG_WORD} ${'A long description. '.repeat(20)}`,
    instructions: `Open https://partner.example/${LONG_WORD}\nEnter the code`,
  });
  emptyProduct = await offerProduct(fixture, {});
  await fixture.admin.addCodes(product, 'AXE-'.repeat(20));
  await fixture.admin.addLearner(LEARNER, product, emptyProduct);
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
    name: 'the login dialog as it sends',
    show: async ({ page }) => {
      await holdCalls(page, '**/auth/v1/otp*');
      await visit(page, '/', 'Login');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await page
        .getByRole('dialog')
        .getByRole('textbox')
        .fill(`${LONG_WORD.slice(0, 60)}@stranger.example`);
      await page.getByRole('button', { name: 'Send Magic Link' }).click();
      await see(page, 'Sending...');
    },
  },
  {
    name: 'the login dialog with half a code',
    show: async ({ page }) => {
      await visit(page, '/', 'Login');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('half@stranger.example');
      await page.getByRole('button', { name: 'Send Magic Link' }).click();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await see(page, 'Please enter the six digits from the email');
    },
  },
  {
    name: 'the end of a sign-in',
    show: async ({ page }) => {
      await holdCalls(page, '**/auth/v1/user*');
      await page.goto('/auth/callback#access_token=a.b.c&refresh_token=d&expires_in=60&token_type=bearer');
      await page.getByRole('main').getByRole('status').filter({ hasText: 'Signing you in' }).waitFor();
    },
  },
  {
    name: 'the grid of a learner as it loads',
    show: async (person) => {
      await holdCalls(person.page, '**/api/my/products');
      await arriveSignedIn(person, fixture, LEARNER);
      await see(person.page, 'Loading your benefits');
    },
  },
  {
    name: 'a grid that cannot be loaded',
    complaint: /500/,
    show: async (person) => {
      await fail(person.page, '**/api/my/products');
      await arriveSignedIn(person, fixture, LEARNER);
      await see(person.page, 'Try again');
    },
  },
  {
    name: 'the grid of a learner',
    show: async (person) => {
      await arriveSignedIn(person, fixture, LEARNER);
      await see(person.page, 'Your Partner Benefits', emptyProduct.name);
    },
  },
  ...['/', '/accelerator', '/fellowship'].map((path) => ({
    name: `the empty state of ${path}`,
    show: async (person: Person) => {
      await arriveSignedIn(person, fixture, 'nobody@stranger.example', path);
      await person.page.getByRole('main').getByRole('heading', { level: 2 }).waitFor();
    },
  })),
  {
    name: 'the product page of a visitor',
    show: async ({ page }) => visit(page, `/product/${product.product_id}`, 'Redeem Now'),
  },
  {
    name: 'a product as it loads',
    show: async ({ page }) => {
      await holdCalls(page, '**/api/products/*');
      await goToProduct(page, 'Loading product details...');
    },
  },
  {
    name: 'a product that cannot be loaded',
    complaint: /500/,
    show: async ({ page }) => {
      await fail(page, '**/api/products/*');
      await goToProduct(page, 'Try again');
    },
  },
  {
    name: 'a code on its way',
    show: async (person) => {
      await holdCalls(person.page, '**/api/redeem-secure');
      await arriveSignedIn(person, fixture, LEARNER, `/product/${product.product_id}`);
      await see(person.page, 'Reserving a code for you. This takes a moment.');
    },
  },
  {
    name: 'a code on the screen',
    show: async (person) => {
      await arriveSignedIn(person, fixture, LEARNER, `/product/${product.product_id}`);
      await see(person.page, 'AXE-'.repeat(20));
    },
  },
  {
    name: 'the dialog of a code',
    show: async (person) => {
      await arriveSignedIn(person, fixture, LEARNER, `/product/${product.product_id}`);
      await person.page.getByRole('button', { name: 'View code' }).click();
      await person.page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'a toast',
    show: async (person) => {
      await arriveSignedIn(person, fixture, LEARNER, `/product/${product.product_id}`);
      await person.page.getByRole('button', { name: 'Copy', exact: true }).click();
      await see(person.page, 'Success!');
      // Moves the mouse over the toast. The toast does not close under the mouse, so it stays open during the checks.
      await person.page.getByText('Success!', { exact: true }).hover();
    },
  },
  {
    name: 'no codes left',
    complaint: /409/,
    show: async (person) => {
      await arriveSignedIn(person, fixture, LEARNER, `/product/${emptyProduct.product_id}`);
      await see(person.page, 'No codes left');
    },
  },
  {
    name: 'a refused redemption',
    complaint: /403/,
    show: async (person) => {
      await arriveSignedIn(person, fixture, 'nobody@stranger.example', `/product/${product.product_id}`);
      await person.page.getByText(/Seems like your email is not registered/).waitFor();
    },
  },
  {
    name: 'an unknown product',
    complaint: /404/,
    show: async ({ page }) => {
      await holdTimers(page, REDIRECT_DELAY_MS);
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

test.each(screens)(
  '$name: no axe violation, nothing cut off, covered, too small or moving',
  async ({ complaint, show }) => {
    const person = await openPerson(fixture);
    if (complaint) person.allowComplaint(complaint);
    await show(person);
    await expectNoDefect(person.page);
  },
);

function fail(page: Page, address: string): Promise<unknown> {
  return page.route(address, (route) => route.fulfill({ status: 500, json: { message: 'Broken' } }));
}

/**
 * Navigates to the product page inside the application, so that the page requests the product through the API. A page
 * loaded from the server already contains the product.
 */
async function goToProduct(page: Page, words: string): Promise<void> {
  await page.goto('/');
  await navigateInApp(page, `/product/${product.product_id}`);
  await see(page, words);
}

async function visit(page: Page, path: string, words: string): Promise<void> {
  await page.goto(path);
  await see(page, words);
}

test('in forced colours, dialogs and notifications have an opaque background', async () => {
  const person = await openPerson(fixture, { forcedColors: 'active' });
  const { page } = person;
  await page.goto('/');
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  const isOpaque = (words: Locator) => words.evaluate(hasOpaqueBackground);
  expect(await isOpaque(page.getByRole('dialog').getByRole('heading'))).toBe(true);
  await arriveSignedIn(person, fixture, LEARNER, `/product/${product.product_id}`);
  await page.getByRole('button', { name: 'View code' }).click();
  expect(await isOpaque(page.getByRole('dialog').getByRole('heading'))).toBe(true);
  await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click();
  expect(await isOpaque(page.getByText('Code copied!', { exact: true }))).toBe(true);
});

/** Runs in the page. Returns true if the element or one of its ancestors below body has an opaque background. */
function hasOpaqueBackground(words: Element): boolean {
  for (let over: Element | null = words; over && over !== document.body; over = over.parentElement) {
    const { backgroundColor } = getComputedStyle(over);
    if (backgroundColor !== 'transparent' && !/[,/] ?0\)$/.test(backgroundColor)) return true;
  }
  return false;
}
