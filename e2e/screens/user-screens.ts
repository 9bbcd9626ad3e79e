// Screenshots of the staff page about users, with the access card.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openCard } from '../harness/admin-pages.ts';
import { DEMO_LEARNER } from '../harness/demo.ts';
import { JONAS, UNKNOWN } from './access-sample.ts';
import { hideCodes, showButtons } from './hidden-codes.ts';
import { center, type Picture } from './picture.ts';
import { FORMER_LEARNER, TWICE_GIVEN } from './sample.ts';

const PATH = '/admin/users';
const PRODUCT = 'Ostrava Notes';

const accessCard = (page: Page) => page.getByRole('region', { name: 'User Access Management' });

export function listUserScreens(options: BrowserContextOptions): Picture[] {
  const screen = (name: string, show: Picture['show']): Picture => ({ name, options, path: PATH, show });
  return [
    {
      ...screen('access', (page) => lookUp(page, FORMER_LEARNER)),
      part: accessCard,
    },
    {
      ...screen('access-hidden', showOneCode),
      part: accessCard,
    },
    { ...screen('access-why', showReasons), part: accessCard },
    { ...screen('access-unknown', lookUpUnknown), part: accessCard },
    screen('access-menu', (page) => openMenu(page)),
    screen('access-dates', (page) => askAbout(page, 'Change dates')),
    screen('access-grants', (page) => askAbout(page, 'Change dates', TWICE_GIVEN)),
    screen('access-remove', (page) => askAbout(page, 'Remove access')),
    screen('access-revoke', (page) => askAbout(page, 'Revoke code')),
    screen('access-replace', (page) => askAbout(page, 'Replace code')),
    screen('user-exists', nameKnownUser),
  ];
}

async function lookUp(page: Page, email: string): Promise<void> {
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(email);
  await page.getByRole('button', { name: 'View Products' }).click();
  await page
    .getByRole('button', { name: /^More for/ })
    .first()
    .waitFor();
}

async function showReasons(page: Page): Promise<void> {
  await lookUp(page, JONAS);
  await page.getByRole('button', { name: 'Why? Hexwell Analytics' }).click();
  await page.getByRole('table', { name: 'Grants of Hexwell Analytics' }).waitFor();
  await page.mouse.move(0, 0);
}

async function lookUpUnknown(page: Page): Promise<void> {
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(UNKNOWN);
  await page.getByRole('button', { name: 'View Products' }).click();
  await page.getByText('Did they buy with another address?').waitFor();
}

async function showOneCode(page: Page): Promise<void> {
  await hideCodes(page);
  await lookUp(page, FORMER_LEARNER);
  await showButtons(page).first().click();
  await page
    .getByRole('button', { name: /^Copy / })
    .first()
    .waitFor();
}

async function openMenu(page: Page, email = DEMO_LEARNER): Promise<void> {
  await lookUp(page, email);
  const opener = page.getByRole('button', { name: `More for ${PRODUCT}` });
  await opener.click();
  await center(opener);
}

async function askAbout(page: Page, act: string, email?: string): Promise<void> {
  await openMenu(page, email);
  await page.getByRole('menuitem', { name: act }).click();
  await page.locator('dialog[open]').waitFor();
}

async function nameKnownUser(page: Page): Promise<void> {
  await openCard(page, 'Add New User');
  const email = page.getByRole('textbox', { name: 'Email', exact: true });
  await email.fill(DEMO_LEARNER);
  await email.blur();
  await page.getByText(/^This person exists/).waitFor();
  await page.getByText(/^This person exists/).scrollIntoViewIfNeeded();
}
