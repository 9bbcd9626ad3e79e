// Checks the page about the team for accessibility and layout defects: in English in both themes, and in German.
import { inviteMember } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { test } from 'vitest';
import { arriveSignedIn, openPerson } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { wordsIn } from './harness/words.ts';

const fixture = setOwnFixture();

const row = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email });
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('alertdialog');

test.each(['en-GB', 'de-DE'])(
  'R-TEAM-30: %s: no axe violation, nothing cut off, covered, too small or moving',
  async (locale) => {
    const t = wordsIn(locale);
    const start = locale.toLowerCase();
    // The part before the @ has the maximum length of 64 characters.
    const email = `${`${start}${'-a-long-address'.repeat(4)}`.slice(0, 64)}@team.example`;
    const name = `Donaudampfschifffahrt ${start}`;
    const body = { email, name, team_role: 'manager', mail: false } as const;
    await fixture.admin.call(inviteMember, { body });
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    const check = () => expectNoDefect(page, { isInBothThemes: locale === 'en-GB' });
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users/team');
    await row(page, start).waitFor();
    await check();
    await button(page, t('Invite')).click();
    await page.getByRole('radio').first().waitFor();
    await check();
    await row(page, start).getByRole('combobox').selectOption('viewer');
    await dialog(page).waitFor();
    await check();
    await button(dialog(page), t('Cancel')).click();
    await button(page, t('More for {name}', { name })).click();
    await page.getByRole('menuitem').first().waitFor();
    await check();
    await page.getByRole('menuitem', { name: t('Remove'), exact: true }).click();
    await dialog(page).waitFor();
    await check();
  },
);
