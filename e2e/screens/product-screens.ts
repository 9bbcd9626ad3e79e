// Screenshots of the staff pages about products.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { csv, fileInput, openCard } from '../harness/admin-pages.ts';
import { center, heading, isPhone, type Picture } from './picture.ts';
import type { Sample } from './sample.ts';

const field = (page: Page, label: string) => page.getByLabel(label);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const dialogOf = (page: Page) => page.getByRole('alertdialog');
const rows = (page: Page) => page.getByRole('cell').first().waitFor();
const LIST = '/admin/products';
const LOADED = 'Uploads of this product';

export function listProductScreens(options: BrowserContextOptions, sample: Sample, path: string): Picture[] {
  const { edited, paused, scheduled, ended, archived } = sample.staff;
  return [
    { name: 'products', options, path: LIST, show: showList },
    { name: 'products-archived', options, path: LIST, show: showArchived },
    { name: 'product-record', options, path, show: heading(LOADED) },
    { name: 'product-edit', options, path, show: openForm },
    { name: 'product-timeline', options, path, show: showTimeline },
    { name: 'product-record-paused', options, path: paused, show: heading(LOADED) },
    { name: 'product-record-scheduled', options, path: scheduled, show: heading(LOADED) },
    { name: 'product-record-ended', options, path: ended, show: heading(LOADED) },
    { name: 'product-record-archived', options, path: archived, show: heading(LOADED) },
    { name: 'product-pause', options, path, show: askToPause },
    { name: 'product-archive', options, path: edited, show: askToArchive },
    { name: 'product-leave', options, path: edited, show: askToLeave },
    { name: 'product-conflict', options, path: edited, show: (page) => cause(page, sample) },
    { name: 'product-theirs', options, path: edited, show: (page) => showTheirs(page, sample) },
    { name: 'import', options, path: LIST, show: importProducts },
    { name: 'refused-file', options, path: LIST, show: refuseFile },
  ];
}

const timelineOf = (page: Page) => page.getByRole('region', { name: 'Timeline' });

async function openForm(page: Page): Promise<void> {
  await press(page, 'Edit');
  await field(page, 'Description').waitFor();
}

async function showTimeline(page: Page): Promise<void> {
  await timelineOf(page).locator('ol > li > button').first().waitFor();
  await center(timelineOf(page));
}

async function showList(page: Page): Promise<void> {
  await rows(page);
  await toTop(page);
}

async function showArchived(page: Page): Promise<void> {
  const archived = page.getByRole('button', { name: /^Archived \d/ });
  // Phones have the filters behind a button.
  const filters = page.getByRole('button', { name: 'Filters', exact: true });
  await archived.or(filters).first().click();
  if (await filters.isVisible()) await archived.click();
  await page.getByRole('link', { name: 'Thistledown Mail' }).waitFor();
  await toTop(page);
}

/** Scrolls the table of products to the top of the window. */
function toTop(page: Page): Promise<void> {
  return page
    .getByRole('searchbox', { name: 'Search products' })
    .evaluate((element) => scrollBy(0, element.getBoundingClientRect().top - 160));
}

async function askToPause(page: Page): Promise<void> {
  await press(page, 'Pause');
  await dialogOf(page).getByLabel('Note').fill('The partner moves its servers.');
}

async function askToArchive(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^More for / }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await dialogOf(page).waitFor();
}

async function askToLeave(page: Page): Promise<void> {
  await press(page, 'Edit');
  await field(page, 'Header Text').fill('For the winter cohort');
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Users' }).click();
  await dialogOf(page).waitFor();
}

/** Saves a change of a product that another administrator has changed since the page was loaded. */
async function cause(page: Page, { editElsewhere }: Sample): Promise<void> {
  await press(page, 'Edit');
  const description = field(page, 'Description');
  // A save without a change causes no conflict, so the text differs from the one that the page shows.
  const now = await description.inputValue();
  const texts = [
    'Charts from your own numbers. Twelve months.',
    'Charts from your own numbers. Nine months.',
  ];
  await editElsewhere(texts.find((text) => text !== now) ?? '');
  await description.fill('Charts and forecasts from your own numbers. Six months.');
  await press(page, 'Save Changes');
  await page.getByRole('button', { name: 'Show their version' }).waitFor();
  await center(page.getByRole('button', { name: 'Show their version' }));
}

async function showTheirs(page: Page, sample: Sample): Promise<void> {
  await cause(page, sample);
  await press(page, 'Show their version');
  await center(page.getByRole('button', { name: /^Use theirs/ }).first());
}

/** Imports a file with one valid and one invalid row, so that the summary and the invalid row are visible. */
async function importProducts(page: Page): Promise<void> {
  // Each window size imports a different product, because a second import of one product would give a duplicate.
  const name = isPhone(page) ? 'Hollin' : 'Fernway';
  const file = csv(
    'autumn.csv',
    'name,description,url',
    `${name},Maps for teams,${name.toLowerCase()}.example`,
    'Moth,,moth.example',
  );
  await openCard(page, 'Bulk Upload Products');
  await fileInput(page).setInputFiles(file);
  await page
    .getByText(/^Successfully created 1/)
    .first()
    .waitFor();
}

async function refuseFile(page: Page): Promise<void> {
  await openCard(page, 'Bulk Upload Products');
  await fileInput(page).setInputFiles(csv('autumn.csv', 'name,description', 'Fernway,Maps for teams'));
  await center(page.getByRole('heading', { name: 'autumn.csv was not imported' }));
}
