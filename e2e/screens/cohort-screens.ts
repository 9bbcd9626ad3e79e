// Screenshots of the staff pages about cohorts, and of people who are selected in a list.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { chooseAction } from '../harness/admin-pages.ts';
import { see } from '../harness/browser.ts';
import { AUTUMN, type CohortSample } from './cohort-sample.ts';
import { center, type Picture } from './picture.ts';

export function listCohortScreens(options: BrowserContextOptions, sample: CohortSample): Picture[] {
  const list = '/admin/users/cohorts';
  const cohort = (name: string, show: Picture['show'], path = sample.autumn): Picture => ({
    name,
    options,
    path,
    show: async (page) => {
      await page.getByRole('table', { name: 'Members' }).waitFor();
      await show(page);
    },
  });
  return [
    { name: 'cohorts', options, path: list, show: (page) => row(page, AUTUMN).waitFor() },
    { name: 'cohorts-none', options, path: list, show: showNone },
    cohort('cohort', async () => undefined),
    cohort('cohort-members', (page) => select(page, 3)),
    cohort('cohort-remove-all', async (page) => {
      await select(page, 1);
      await page.getByRole('button', { name: /^Select all/ }).click();
      await press(page, 'Remove', 'alertdialog');
    }),
    cohort('cohort-dates', (page) => press(page, 'Change all dates', 'alertdialog')),
    cohort('cohort-add-products', (page) => press(page, 'Add products', 'dialog')),
    cohort('cohort-archive', async (page) => {
      await chooseAction(page, `More for ${AUTUMN}`, 'Archive Cohort');
      await page.getByRole('alertdialog').waitFor();
    }),
    cohort('cohort-archived', async () => undefined, sample.archived),
    { name: 'users-selected', options, path: '/admin/users', show: selectUsers },
    { name: 'users-give', options, path: '/admin/users', show: giveProducts },
  ];
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name }).first();

// Fakes the responses, because the demo has cohorts.
async function showNone(page: Page): Promise<void> {
  await page.route(/\/api\/admin\/cohorts(\?|$)/, (route) => route.fulfill({ json: [] }));
  await page.reload();
  await see(page, 'No cohorts found. Create your first cohort above.');
}

async function select(page: Page, count: number): Promise<void> {
  const boxes = page.getByRole('checkbox', { name: /^Select (?!this page)/ });
  for (let at = 0; at < count; at += 1) await boxes.nth(at + 1).check();
  const bar = page.getByRole('region', { name: 'Selected people' });
  await bar.waitFor();
  // The rows below the bar are in view.
  await page.evaluate(() => scrollTo(0, 0));
  const { y = 0 } = (await bar.boundingBox()) ?? {};
  await page.evaluate((top) => scrollTo(0, top), y - 200);
}

async function press(page: Page, name: string, role: 'dialog' | 'alertdialog'): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await center(button);
  await button.click();
  await page.getByRole(role).waitFor();
}

async function selectUsers(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Cohort' }).selectOption({ label: AUTUMN });
  await see(page, '1–20 of 45');
  await select(page, 3);
}

async function giveProducts(page: Page): Promise<void> {
  await selectUsers(page);
  await page.getByRole('button', { name: /^Select all/ }).click();
  await press(page, 'Give products', 'dialog');
}
