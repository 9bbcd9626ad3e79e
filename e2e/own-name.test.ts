// Tests the dialog in which members of the team change their own name (R-DAY-52).
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setOwnFixture();

async function openName(page: Page) {
  await page.getByRole('banner').getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Your name' }).click();
  return page.getByRole('dialog', { name: 'Your name' }).getByRole('textbox', { name: 'Name' });
}

const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();

test('R-DAY-52: a member gives themselves a name; a tab that still shows the old one overwrites nothing unasked', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/409/);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users/team');
  const other = await person.openTab();
  await other.goto('/admin');
  const late = await openName(other);

  const field = await openName(page);
  expect(await field.inputValue()).toBe('');
  await field.fill('');
  await save(page);
  await see(page.getByRole('dialog'), 'Enter a name');
  await field.fill('Ada Okafor');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Account');
  await takeToast(page, 'default', 'Success', 'Changes saved');
  await see(page.getByRole('main').getByRole('table'), 'Ada Okafor');

  await late.fill('Ada O.');
  await save(other);
  const dialog = other.getByRole('dialog');
  await dialog.getByText(/^Your name was changed meanwhile\./).waitFor();
  await see(dialog, 'Ada Okafor');
  expect(await late.inputValue()).toBe('Ada O.');
  await dialog.getByRole('button', { name: 'Use theirs: Name' }).click();
  expect(await late.inputValue()).toBe('Ada Okafor');
  await save(other);
  await dialog.waitFor({ state: 'detached' });

  await other.goto('/admin/activity');
  await see(other, /changed their own name/);
  expect(await other.getByText(/changed their own name/).count()).toBe(1);
});
