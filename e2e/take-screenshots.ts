// Takes screenshots of the demo for docs/images. Needs the built pages (`npm run build`).
// `node e2e/take-screenshots.ts` takes all screenshots. With names as arguments, it takes only the named screenshots.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { csv, fileInput } from './harness/admin-pages.ts';
import { openBrowser, storeSession } from './harness/browser.ts';
import { DEMO_ADMIN, DEMO_LEARNER, startDemo } from './harness/demo.ts';
import { changeDays, dayIn, refuseRedemptions, showCards } from './harness/states.ts';

const FOLDER = resolve(import.meta.dirname, '../docs/images');
const QUALITY = 85;
// The policy of the pages forbids changed styles.
const CONTEXT = { reducedMotion: 'reduce', bypassCSP: true } as const;
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };

type Picture = {
  name: string;
  options: BrowserContextOptions;
  path: string;
  /** Brings the page into the state for the screenshot. */
  show: (page: Page) => Promise<unknown>;
  sizes?: Record<string, { width: number; height: number }>;
};

const wanted = process.argv.slice(2);
const demo = await startDemo();
const browser = await openBrowser();
try {
  for (const picture of await listPictures()) {
    if (wanted.length === 0 || wanted.includes(picture.name)) await take(browser, picture);
  }
} finally {
  await browser.close();
  await demo.stop();
}

async function listPictures(): Promise<Picture[]> {
  const session = await demo.signIn(DEMO_LEARNER);
  const [product] = await demo.listProducts(session);
  const learner = storeSession(demo.url, session);
  const admin = storeSession(demo.url, await demo.signIn(DEMO_ADMIN));
  const heading = (name: string) => (page: Page) => page.getByRole('heading', { name }).first().waitFor();
  const code = (page: Page) => page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
  const path = `/product/${product?.product_id}`;
  const recordPath = `/admin/products/${product?.product_id}`;
  return [
    // The README shows this screenshot.
    { name: 'ticket', options: learner, path, show: code, sizes: { '': { width: 1080, height: 720 } } },
    { name: 'home-visitor', options: {}, path: '/', show: heading('Your course comes with benefits.') },
    {
      name: 'home-learner',
      options: learner,
      path: '/',
      show: (page) => page.getByRole('article').first().waitFor(),
    },
    { name: 'home-states', options: learner, path: '/', show: showStates },
    { name: 'product', options: learner, path, show: code },
    { name: 'product-last-week', options: learner, path, show: showLastWeek },
    { name: 'product-not-open', options: learner, path, show: showNotOpen },
    { name: 'login', options: {}, path: '/', show: openLogin },
    { name: 'dashboard', options: admin, path: '/admin', show: waitForChart },
    {
      name: 'coupons',
      options: admin,
      path: '/admin/coupons',
      show: (page) => page.getByRole('cell').first().waitFor(),
    },
    {
      name: 'uploads',
      options: admin,
      path: '/admin/coupons/uploads',
      show: (page) => page.getByRole('cell').first().waitFor(),
    },
    { name: 'upload', options: admin, path: '/admin/coupons/uploads', show: openUpload },
    { name: 'product-record', options: admin, path: recordPath, show: heading('Uploads of this product') },
    { name: 'product-pause', options: admin, path: recordPath, show: askToPause },
    { name: 'import', options: admin, path: '/admin/products', show: importProducts },
    { name: 'refused-file', options: admin, path: '/admin/products', show: refuseFile },
    { name: 'failed-jobs', options: admin, path: '/admin', show: failJobs },
    { name: 'access-menu', options: admin, path: '/admin/users', show: openAccessMenu },
    { name: 'access-dates', options: admin, path: '/admin/users', show: askAbout('Change dates') },
    { name: 'access-remove', options: admin, path: '/admin/users', show: askAbout('Remove access') },
    { name: 'access-revoke', options: admin, path: '/admin/users', show: askAbout('Revoke code') },
    { name: 'access-replace', options: admin, path: '/admin/users', show: askAbout('Revoke and replace') },
    { name: 'user-exists', options: admin, path: '/admin/users', show: nameKnownUser },
    { name: 'admin-code', options: {}, path: '/admin-login', show: askForCode },
    { name: 'could-not-check', options: admin, path: '/admin', show: leaveUnanswered },
    { name: 'signed-out', options: admin, path: '/admin/users', show: endSession },
  ];
}

async function take(by: Browser, { name, options, path, show, sizes = SIZES }: Picture): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await by.newContext({ ...options, ...CONTEXT, baseURL: demo.url, viewport });
    await context.route((url) => !url.pathname.startsWith('/api/'), waitForFonts);
    const page = await context.newPage();
    await page.goto(path);
    await show(page);
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // The first screenshot forces a repaint in the new colours and is discarded.
      await page.screenshot();
      await save(page, [name, size, colorScheme].filter(Boolean).join('-'));
    }
    await context.close();
  }
}

/**
 * Changes the styles of the pages: text waits for its font. The pages themselves show another font if theirs arrives too
 * late.
 */
async function waitForFonts(route: Route): Promise<void> {
  if (!['document', 'stylesheet'].includes(route.request().resourceType())) return route.fallback();
  const response = await route.fetch();
  const body = (await response.text()).replaceAll('font-display:optional', 'font-display:block');
  await route.fulfill({ response, body });
}

/** Saves the screenshot as WebP, which needs a quarter of the bytes of PNG. Playwright itself does not write WebP. */
async function save(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await writeFile(`${FOLDER}/${file}.webp`, Buffer.from(data, 'base64'));
  await session.detach();
}

// Changes the server's responses to show, for example, a paused product and a revoked code. The demo has neither.
async function showStates(page: Page): Promise<void> {
  const products = await demo.listProducts(await demo.signIn(DEMO_LEARNER));
  await showCards(page, products);
  await page.reload();
  await page.getByRole('article').first().waitFor();
}

async function showLastWeek(page: Page): Promise<void> {
  await changeDays(page, { use_by: dayIn(3) });
  await page.reload();
  await page.getByText(/^Use by/).waitFor();
}

async function showNotOpen(page: Page): Promise<void> {
  await refuseRedemptions(page, 'product_not_open', dayIn(30));
  await page.reload();
  await page.getByRole('heading', { name: 'Not open yet' }).waitFor();
}

async function openLogin(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Login' }).click();
  await page.getByRole('dialog').getByRole('textbox').waitFor();
}

async function waitForChart(page: Page): Promise<void> {
  await page.getByRole('application', { name: /^Redemptions per day/ }).waitFor();
}

async function openUpload(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'tarnquill.csv' }).click();
  await page.getByRole('heading', { name: 'Change this upload' }).waitFor();
}

async function askToPause(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('alertdialog').getByLabel('Note').fill('The partner moves its servers.');
}

/** Imports a file with one valid and one invalid row, so that the summary and the invalid row are visible. */
async function importProducts(page: Page): Promise<void> {
  // Each window size imports a different product, because a second import of one product would give a duplicate.
  const name = page.viewportSize()?.width === SIZES.phone.width ? 'Hollin' : 'Fernway';
  const file = csv(
    'autumn.csv',
    'name,description,url',
    `${name},Maps for teams,${name.toLowerCase()}.example`,
    'Moth,,moth.example',
  );
  await fileInput(page).setInputFiles(file);
  await page
    .getByText(/^Successfully created 1/)
    .first()
    .waitFor();
}

// Fakes the response, because no job of the demo fails.
async function failJobs(page: Page): Promise<void> {
  const since = new Date(Date.now() - 40 * 60_000).toISOString();
  const busy = 'The database did not answer in time.';
  const refused = '550 5.1.1 No such user here';
  const rows = [
    { kind: 'sign-in-mail', about: null, reason: 'connect ECONNREFUSED 192.0.2.25:587', since, count: 12 },
    { kind: 'import', about: 'autumn-2026.csv', reason: busy, since, count: 1 },
    { kind: 'stock-mail', about: 'tomas.brandao@alderquay.example', reason: refused, since, count: 1 },
  ];
  await page.route('**/api/admin/jobs/failed', (route) => route.fulfill({ json: rows }));
  await page.reload();
  await waitForChart(page);
  await page.getByRole('region', { name: 'Failed jobs' }).waitFor();
}

async function refuseFile(page: Page): Promise<void> {
  await fileInput(page).setInputFiles(csv('autumn.csv', 'name,description', 'Fernway,Maps for teams'));
  const heading = page.getByRole('heading', { name: 'autumn.csv was not imported' });
  await heading.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

async function openAccessMenu(page: Page): Promise<void> {
  await page.getByLabel('User email').fill(DEMO_LEARNER);
  await page.getByRole('button', { name: 'View Products' }).click();
  const opener = page.getByRole('button', { name: 'More for Ostrava Notes' });
  await opener.click();
  await opener.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

function askAbout(act: string) {
  return async (page: Page): Promise<void> => {
    await openAccessMenu(page);
    await page.getByRole('menuitem', { name: act }).click();
    await page.getByRole('alertdialog').waitFor();
  };
}

async function nameKnownUser(page: Page): Promise<void> {
  const email = page.getByRole('textbox', { name: 'Email', exact: true });
  await email.fill(DEMO_LEARNER);
  await email.blur();
  await page.getByText(/^This person exists/).waitFor();
  await page.getByText(/^This person exists/).scrollIntoViewIfNeeded();
}

async function askForCode(page: Page): Promise<void> {
  // Fakes the response, because the demo sends only one mail a minute to an address.
  await page.route('**/auth/v1/otp*', (route) => route.fulfill({ json: {} }));
  await page.getByLabel('Email').fill(DEMO_ADMIN);
  await page.getByRole('button', { name: 'Send Magic Link' }).click();
  await page.getByLabel('Or enter the code from the email').waitFor();
}

async function leaveUnanswered(page: Page): Promise<void> {
  await page.route('**/api/admin/check', (route) => route.abort());
  await page.goto('/admin/users');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
}

/** Ends the session only for this page, because other screenshots use the same session. */
async function endSession(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ida Nyström');
  const status = 401;
  await page.route('**/auth/v1/logout*', (route) => route.fulfill({ status: 204 }));
  await page.route('**/auth/v1/token*', (route) => route.fulfill({ status: 400, json: {} }));
  await page.route('**/api/**', (route) => route.fulfill({ status, json: {} }));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText(/^You were signed out/).waitFor();
}
