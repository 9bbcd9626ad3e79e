// Screenshots of the dashboard, and of sign-in and errors on staff pages.
import { getStats } from '@portal/contract';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openCard } from '../harness/admin-pages.ts';
import { DEMO_ADMIN, DEMO_LEARNER } from '../harness/demo.ts';
import type { Picture } from './picture.ts';

export function listStaffScreens(options: BrowserContextOptions): Picture[] {
  return [
    { name: 'dashboard', options, path: '/admin', show: waitForChart },
    { name: 'setup', options, path: '/admin', show: showSetup },
    { name: 'failed-jobs', options, path: '/admin', show: failJobs },
    { name: 'activity', options, path: '/admin/activity', show: openDetails },
    { name: 'activity-none', options, path: '/admin/activity?what=notes', show: waitForNone },
    { name: 'search', options, path: '/admin', show: (page) => search(page, 'ma') },
    { name: 'search-product', options, path: '/admin', show: (page) => search(page, 'salt') },
    { name: 'search-code', options, path: '/admin', show: searchCode },
    { name: 'search-none', options, path: '/admin', show: searchForNothing },
    { name: 'admin-code', options: {}, path: '/admin-login', show: askForCode },
    { name: 'could-not-check', options, path: '/admin', show: leaveUnanswered },
    { name: 'signed-out', options, path: '/admin/users', show: endSession },
  ];
}

async function waitForChart(page: Page): Promise<void> {
  await page.getByRole('application', { name: /^Redemptions per day/ }).waitFor();
}

// Changes the response, because the demo has handed out codes.
async function showSetup(page: Page): Promise<void> {
  await page.route(`**${getStats.path}`, async (route) => {
    const response = await route.fetch();
    const { setup, ...stats } = await response.json();
    const isNew = { codes: false, access: false, issued: false, redeemed: false, hidden: false };
    await route.fulfill({ json: { ...stats, setup: { ...setup, ...isNew } } });
  });
  await page.reload();
  await page.getByRole('region', { name: 'Set up your portal' }).waitFor();
}

async function openDetails(page: Page): Promise<void> {
  await page
    .locator('ol > li')
    .first()
    .getByRole('button', { name: /^Details/ })
    .click();
}

async function waitForNone(page: Page): Promise<void> {
  await page.getByText('Nothing in the log matches.').waitFor();
}

async function type(page: Page, text: string): Promise<void> {
  await waitForChart(page);
  await page.keyboard.press('/');
  await page.keyboard.type(text);
}

async function search(page: Page, text: string): Promise<void> {
  await type(page, text);
  await page.getByRole('option').first().waitFor();
}

async function searchCode(page: Page): Promise<void> {
  // Fakes the response, because the codes of the demo are random.
  const person = { user_id: '1', email: DEMO_LEARNER, name: 'Ada Almeida' };
  const product = { product_id: '1', name: 'Tarnquill' };
  const code = { id: '1', hint: 'LQ27', product, state: 'held', holder: person };
  await page.route('**/api/admin/find?*', (route) =>
    route.fulfill({ json: { people: [], code, products: [] } }),
  );
  await search(page, 'TQWL-3V9R-LQ27');
}

async function searchForNothing(page: Page): Promise<void> {
  await type(page, 'TQWL-3V9R');
  await page.getByText('A code is found only when it is typed whole.').waitFor();
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
  await openCard(page, 'Add New User');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ida Nyström');
  const status = 401;
  await page.route('**/auth/v1/logout*', (route) => route.fulfill({ status: 204 }));
  await page.route('**/auth/v1/token*', (route) => route.fulfill({ status: 400, json: {} }));
  await page.route('**/api/**', (route) => route.fulfill({ status, json: {} }));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText(/^You were signed out/).waitFor();
}
