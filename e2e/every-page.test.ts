// Tests every page: its address, its header and footer, and that only administrators see links to the admin pages.
import type { Product } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { VERSION } from '../server/src/version.ts';
import {
  arriveSignedIn,
  keepPerson,
  openPerson,
  see,
  seeToast,
  waitForHydration,
} from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const ADMINS_ONLY = 'Sorry, this space is for admins only. Seems like you do not have access.';
const GUARDED = { '/admin': 'Dashboard', '/admin/products': 'Products', '/admin/users': 'Users' };
const OPEN_TO_ALL = {
  '/': /course comes with benefits|Your Partner Benefits/,
  '/accelerator': /course comes with benefits|Your Partner Benefits/,
  '/fellowship': /course comes with benefits|Your Partner Benefits/,
  '/admin-access-restricted': 'Admins only',
  '/admin/access-denied': 'Access restricted',
  '/nowhere': '404 Page Not Found',
};

const fixture = setFixture();
const visitor = keepPerson(fixture, async ({ page }) => {
  await page.goto('/');
});
const admin = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL));
let product: Product;

beforeAll(async () => {
  product = await offerProduct(fixture, {});
});

function seeHeading(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('main').getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

async function expectFrame(page: Page): Promise<void> {
  const logo = page.getByRole('banner').getByRole('link').first();
  expect(await logo.getAttribute('href')).toBe('/');
  expect(await logo.textContent()).toContain('Partner Benefits');
  const footer = page.getByRole('contentinfo');
  const social = footer.getByRole('navigation', { name: 'Social' }).getByRole('link');
  // The footer is hidden until the page has loaded.
  await social.first().waitFor();
  const links = { Terms: 'terms', Privacy: 'privacy', 'Refund policy': 'refunds' };
  for (const [name, path] of Object.entries(links)) {
    const link = footer.getByRole('link', { name: `${name} (opens in a new tab)`, exact: true });
    expect(await link.getAttribute('href')).toBe(`https://example.org/${path}`);
    expect(await link.getAttribute('target')).toBe('_blank');
  }
  await see(footer, /^©/);
}

test('R-GEN-05, R-ROUTE-01, R-ROUTE-02, R-ROUTE-03, R-ROUTE-05, R-ROUTE-08, R-ROUTE-22, R-HDR-01, R-HDR-07, R-FTR-01, R-FTR-02, R-FTR-03, R-FTR-04, R-FTR-05: a visitor can open and reload every public page, which has header and footer', async () => {
  const { page } = visitor;
  const pages = {
    ...OPEN_TO_ALL,
    '/admin-login': 'Admin sign-in',
    [`/product/${product.product_id}`]: product.name,
  };
  for (const [path, heading] of Object.entries(pages)) {
    await page.goto(path);
    await seeHeading(page, heading);
    await page.getByRole('banner').getByRole('button', { name: 'Login', exact: true }).waitFor();
    await expectFrame(page);
    expect(await page.getByText(VERSION).count()).toBe(0);
    await page.reload();
    await seeHeading(page, heading);
    expect(new URL(page.url()).pathname).toBe(path);
  }
});

test('R-GEN-13, R-ROUTE-14, R-ROUTE-15, R-ROUTE-16, R-ROUTE-17, R-ROUTE-22, R-HDR-01, R-FTR-01, R-HIDE-04, R-DAY-55: an administrator can open and reload every admin page, which has header, footer with the version, and admin navigation', async () => {
  const { page } = admin;
  for (const [path, heading] of Object.entries({
    ...GUARDED,
    '/admin/activity': 'Dashboard',
    '/admin/coupons': 'Coupons',
  })) {
    await page.goto(path);
    await seeHeading(page, heading);
    await expectFrame(page);
    await see(page.getByRole('contentinfo'), `Version ${VERSION}`);
    await page.reload();
    await seeHeading(page, heading);
    expect(new URL(page.url()).pathname).toBe(path);
    const ways = page.getByRole('navigation', { name: 'Admin' }).getByRole('link').filter({ visible: true });
    expect(await ways.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      ...Object.keys(GUARDED),
      '/admin/coupons',
      '/',
    ]);
  }
});

test('R-HIDE-05: no other page shows an administrator a link to the admin pages', async () => {
  const { page } = admin;
  // The administrator has no access to the product. So the page's automatic redemption fails with 403.
  admin.allowComplaint(/403/);
  const pages = { ...OPEN_TO_ALL, [`/product/${product.product_id}`]: product.name };
  for (const [path, heading] of Object.entries(pages)) {
    await page.goto(path);
    await seeHeading(page, heading);
    await page.getByRole('banner').getByText(ADMIN_EMAIL).waitFor();
    // Home has the one link of R-DAY-50, for members of the team without a product.
    const ways = page
      .locator(
        'a[href*="/admin"]:not(main a:text-is("Open the staff pages")), [role=link]:has-text("Admin"), button:has-text("Admin"), nav[aria-label=Admin]',
      )
      .filter({ visible: true });
    expect(await ways.count(), path).toBe(0);
  }
  await page.getByRole('main').getByRole('alert').waitFor();
});

/**
 * Adds links to admin pages after the page has loaded, as a third-party script might. The page must hide them
 * (R-HIDE-01).
 */
function addAdminLinks(page: Page): Promise<void> {
  return page.evaluate(() => {
    const link = document.createElement('a');
    link.append('A way in');
    link.href = '/admin/users';
    link.style.display = 'inline-flex';
    const button = document.createElement('button');
    button.append('To the Admin Dashboard now');
    document.querySelector('header')?.append(link);
    document.querySelector('footer')?.append(button);
  });
}

test('R-HIDE-01, R-HIDE-02, R-HIDE-03, R-HIDE-04: admin links that are added later are hidden on public pages, after every page change, and shown on admin pages', async () => {
  const { page } = admin;
  await page.goto('/');
  await see(page, 'Your Partner Benefits');
  await waitForHydration(page);
  await addAdminLinks(page);
  const link = page.getByText('A way in');
  const button = page.getByText('To the Admin Dashboard now');
  const expectHidden = async () => {
    await link.waitFor({ state: 'hidden' });
    await button.waitFor({ state: 'hidden' });
  };
  await expectHidden();
  await page.evaluate(() => history.pushState(null, '', '/admin/access-denied'));
  await see(page, 'Access restricted');
  await expectHidden();
  await page.evaluate(() => history.pushState(null, '', '/admin'));
  await link.waitFor();
  await button.waitFor();
  await page.getByRole('link', { name: 'Back to Website' }).click();
  await see(page, 'Your Partner Benefits');
  await expectHidden();

  // Adds a link to a page for learners and then changes the link's address to an admin page. The page must hide the
  // link after this change.
  await page.evaluate(() => {
    const again = document.createElement('a');
    again.append('A link that turns');
    again.href = '/fellowship';
    document.querySelector('header')?.append(again);
  });
  const turning = page.getByText('A link that turns');
  await turning.waitFor();
  await turning.evaluate((element: HTMLAnchorElement) => {
    element.href = '/admin/coupons';
  });
  await turning.waitFor({ state: 'hidden' });
});

test('R-HDR-02, R-HDR-03, R-HDR-04: the header shows Loading... until the user is known, then their address and Logout', async () => {
  const { page } = admin;
  const letThrough = await holdCalls(page, '**/api/auth/user');
  await page.goto('/');
  const header = page.getByRole('banner');
  await see(header, 'Loading...');
  expect(await header.getByRole('button').count()).toBe(0);
  letThrough();
  await see(header, ADMIN_EMAIL);
  await header.getByRole('button', { name: 'Logout', exact: true }).waitFor();
  expect(await header.getByText('Loading...').count()).toBe(0);
});

test('R-HDR-08, R-LOGIN-01: Login opens the dialog on any page', async () => {
  const { page } = visitor;
  for (const path of ['/nowhere', `/product/${product.product_id}`]) {
    await page.goto(path);
    await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Sign In to Redeem', exact: true }).waitFor();
  }
});

test('R-ROUTE-18, R-ROUTE-19, R-ROUTE-20, R-ROUTE-21: any other address, also nested or below /admin, shows the not-found page: a centred card with a warning', async () => {
  const { page } = visitor;
  for (const path of ['/nowhere', '/a/b/c', '/admin/nowhere', '/product', '/accelerator/x']) {
    await page.goto(path);
    await seeHeading(page, '404 Page Not Found');
    await see(page, 'Did you forget to add the page to the router?');
  }
  const card = page.getByRole('main').locator('section');
  await card.locator('svg.lucide-triangle-alert').waitFor();
  const box = await card.boundingBox();
  const width = page.viewportSize()?.width ?? 0;
  expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - width / 2)).toBeLessThan(10);
});

test('R-ROUTE-09, R-ROUTE-10, R-ROUTE-11, R-ROUTE-12, R-ROUTE-13, R-ERR-22: the pages for missing access give the reason and link to home', async () => {
  const { page } = visitor;
  for (const path of ['/admin-access-restricted', '/admin/access-denied', '/admin/check-access']) {
    await page.goto(path);
    await see(page, ADMINS_ONLY);
    await page.getByRole('main').getByRole('link', { name: 'Back to Home' }).waitFor();
  }
  await page.waitForURL('**/admin/access-denied');
  await seeHeading(page, 'Access restricted');
  await seeToast(page, 'destructive', 'Access restricted', ADMINS_ONLY);
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await page.waitForURL((url) => url.pathname === '/');
});

test('R-GEN-18: there is no password to sign in with, for learners or administrators', async () => {
  const { page } = await openPerson(fixture);
  await page.goto('/admin-login');
  await page.getByRole('button', { name: 'Send Magic Link' }).waitFor();
  const fields = page.locator('input');
  expect(await fields.evaluateAll((inputs) => inputs.map((input) => input.getAttribute('type')))).toEqual([
    'email',
  ]);
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Send Magic Link' }).waitFor();
  expect(
    await dialog.locator('input').evaluateAll((inputs) => inputs.map((input) => input.getAttribute('type'))),
  ).toEqual(['email']);
});
