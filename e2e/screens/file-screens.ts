// Screenshots of the check of a file, of the questions about it, and of the uploads of people.
import type { BrowserContextOptions, Page } from 'playwright-core';
import {
  type CsvFile,
  choose,
  chooseFile,
  chooseProductOfFile,
  csv,
  openCard,
} from '../harness/admin-pages.ts';
import { center, type Picture } from './picture.ts';

const PRODUCT = 'Ostrava Notes';
const CODES = Array.from({ length: 940 }, (_code, at) => `OSTR-${at}K-81LC,2099-06-30,EUR 240`);

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

export function listFileScreens(options: BrowserContextOptions): Picture[] {
  const coupons = { options, path: '/admin/coupons' };
  return [
    { ...coupons, name: 'file-check', show: showCheck },
    { ...coupons, name: 'file-columns', show: askForColumn },
    { ...coupons, name: 'file-blanks', show: askAboutBlanks },
    { options, path: '/admin/users', name: 'import-summary', show: showSummary },
    { options, path: '/admin/users', name: 'import-take-back', show: askToUndo },
  ];
}

async function openCodes(page: Page, button: string, file: CsvFile): Promise<void> {
  await openCard(page, 'Bulk Upload Coupons');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), PRODUCT);
  await chooseFile(page, button, file);
}

async function showCheck(page: Page): Promise<void> {
  const failed = ['OSTR-81LC-0PQZ,yesterday,EUR 240', 'OSTR-81LC-0PR0,never,EUR 240'];
  const lines = [...CODES, ...CODES.slice(0, 7), ...failed];
  await openCodes(page, 'Check File First', csv('ostrava-dec.csv', 'code,valid until,Wert', ...lines));
  await center(card(page, 'Nothing was imported yet.'));
}

async function askForColumn(page: Page): Promise<void> {
  const lines = ['2026-11-12;OSTR-2PQX-81LK;Ostrava;EUR 240', '2026-11-12;OSTR-9R4C-T0VD;Ostrava;EUR 240'];
  const file = csv('ostrava_lieferung.csv', 'Lieferdatum;Gutschein-Nr;Partner;Wert', ...lines);
  await openCodes(page, 'Check File First', file);
  await page.getByLabel('Meaning of column 2').selectOption('Code');
  await center(card(page, 'Which column holds the codes?'));
}

async function askAboutBlanks(page: Page): Promise<void> {
  const lines = ['OSTR-2PQX-81LK,', ',2099-06-30', ',2099-06-30'];
  await openCodes(page, 'Select CSV File', csv('ostrava-dec.csv', 'code,use_by', ...lines));
  await page.getByRole('alertdialog').waitFor();
}

async function showSummary(page: Page): Promise<void> {
  await chooseProductOfFile(page, 'Users', PRODUCT);
  await page.getByRole('checkbox', { name: 'Tell them by email' }).last().check();
  const people = Array.from(
    { length: 30 },
    (_person, at) => `late.${Date.now()}.${at}@example.org,Late Joiner ${at}`,
  );
  const file = csv(
    'autumn-late-joiners.csv',
    'e-mail,full name',
    ...people,
    'tilda.ekstrom(at)example.com,Tilda',
  );
  await chooseFile(page, 'Select CSV File', file);
  const summary = card(page, 'autumn-late-joiners.csv');
  await summary.getByRole('heading', { name: '‘Your benefits are ready’' }).waitFor();
  await center(summary);
}

async function askToUndo(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'autumn-late-joiners.csv' }).first().click();
  await press(page, 'Take back this upload');
  await page.getByRole('alertdialog').waitFor();
}
