// Tests the header of the staff pages: one row on wide screens, a strip of entries on phones, and the menu of the
// account (R-DAY-60).
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const LONG = 'maximiliane.hohenstein-weinsberg@partner-benefits-academy.provider.example';

const fixture = setOwnFixture({ ADMIN_EMAILS: `${ADMIN_EMAIL},${LONG}` });

type Box = { name: string; left: number; right: number; middle: number };

/** Returns the boxes of the visible parts of the header, from left to right. */
function listBoxes(page: Page): Promise<Box[]> {
  return page
    .getByRole('banner')
    .locator(':is(a, button, [title], [role=combobox]):visible')
    .evaluateAll((parts) =>
      parts
        .map((part) => {
          const { left, right, top, bottom } = part.getBoundingClientRect();
          const name = part.getAttribute('aria-label') ?? part.textContent ?? '';
          return { name, left, right, middle: (top + bottom) / 2 };
        })
        .toSorted((a, b) => a.left - b.left),
    );
}

async function openWith(email: string, { width, locale }: { width: number; locale: string }, path: string) {
  const person = await openPerson(fixture, { viewport: { width, height: 844 }, locale });
  await arriveSignedIn(person, fixture, email, path);
  await person.page
    .getByRole('banner')
    .getByRole('button', { name: /^(Account|Konto)$/ })
    .waitFor();
  return person;
}

const ROWS = [1024, 1440].flatMap((width) =>
  ['en-GB', 'de-DE'].flatMap((locale) => [ADMIN_EMAIL, LONG].map((email) => ({ width, locale, email }))),
);

test.each(ROWS)(
  'R-DAY-60, R-HDR-03, R-HDR-04, R-ANAV-01: at $width px in $locale, the header of $email is one row, and no part covers another',
  async ({ width, locale, email }) => {
    const { page } = await openWith(email, { width, locale }, '/admin/coupons');
    const boxes = await listBoxes(page);
    // Brand, five entries, search, address, Logout, Account.
    expect(boxes).toHaveLength(10);
    expect(boxes.at(-1)?.name).toMatch(/Account|Konto/);
    for (const [at, box] of boxes.entries()) {
      expect(Math.abs(box.middle - (boxes[0] as Box).middle), box.name).toBeLessThan(2);
      expect(box.left, box.name).toBeGreaterThanOrEqual(boxes[at - 1]?.right ?? 0);
      expect(box.right - box.left, box.name).toBeGreaterThan(24);
      expect(box.right, box.name).toBeLessThanOrEqual(width);
    }
  },
);

test('R-DAY-60: on phones, brand and account are one row, and the strip below shows the current entry', async () => {
  const { page } = await openWith(LONG, { width: 390, locale: 'de-DE' }, '/admin/coupons');
  const nav = page.getByRole('navigation', { name: 'Verwaltung' });
  const current = nav.locator('[aria-current]');
  expect(await current.textContent()).toBe('Gutscheine');
  const isWhole = () =>
    current.evaluate((entry) => {
      const { left, right } = entry.getBoundingClientRect();
      return left >= 0 && right <= innerWidth - 40;
    });
  await expect.poll(isWhole).toBe(true);
  const boxes = await listBoxes(page);
  const rows = new Set(boxes.map(({ middle }) => Math.round(middle / 10)));
  expect(rows.size).toBe(2);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await nav.getByRole('link', { name: 'Zur Website' }).click();
  await page.waitForURL((url) => url.pathname === '/');
});

test('R-DAY-51, R-DAY-60: header and card of the setup have no defect at any width', async () => {
  const { page } = await openWith(LONG, { width: 1440, locale: 'de-DE' }, '/admin');
  await page.getByRole('region', { name: 'Richten Sie Ihr Portal ein' }).waitFor();
  await expectNoDefect(page, { isInBothThemes: true });
});

test('R-DAY-60: the menu names address and role, and keeps theme and language', async () => {
  const { page } = await openWith(ADMIN_EMAIL, { width: 1440, locale: 'en-GB' }, '/admin');
  const opener = page.getByRole('banner').getByRole('button', { name: 'Account' });
  const choose = async (name: string) => {
    await opener.click();
    await page.getByRole('menuitemradio', { name, exact: true }).click();
    await page.getByRole('menu').waitFor({ state: 'detached' });
  };
  const readScheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  await opener.click();
  await see(page.getByRole('menu'), `${ADMIN_EMAIL} · Owner`, 'None yet');
  expect(await page.locator('[role=menuitemradio][aria-checked=true]').allTextContents()).toEqual([
    'As the device',
    'English',
  ]);
  await page.keyboard.press('Escape');
  expect(await readScheme()).toBe('light dark');
  await choose('Dark');
  expect(await readScheme()).toBe('dark');
  await page.reload();
  await opener.waitFor();
  expect(await readScheme()).toBe('dark');
  await choose('As the device');
  expect(await readScheme()).toBe('light dark');

  await page.goto('/admin/products?open=add');
  await opener.click();
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
  await page.getByRole('banner').getByRole('button', { name: 'Konto' }).waitFor();
  expect(new URL(page.url()).searchParams.get('open')).toBe('add');
});
