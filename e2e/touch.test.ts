// Tests on a phone that a finger hits ticks and icon buttons, and that fields do not make the page zoom.
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setFixture();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const LEAST_PX = 44;
// iPhones zoom into a field with a smaller font.
const LEAST_FONT_PX = 16;

/** Returns the width and height in px of the area around the centre of the element whose touches the element gets. */
async function measureHitArea(target: Locator): Promise<[number, number]> {
  await target.waitFor();
  return target.evaluate((element) => {
    element.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const reach = (dx: number, dy: number) => {
      let steps = 0;
      const gets = () => {
        const found = document.elementFromPoint(x + dx * steps, y + dy * steps);
        return found !== null && (element === found || element.contains(found));
      };
      while (gets() && steps < 100) steps += 0.5;
      return steps;
    };
    return [Math.round(reach(1, 0) + reach(-1, 0)), Math.round(reach(0, 1) + reach(0, -1))];
  });
}

test('R-DAY-63: ticks and buttons that copy a code are 44 px wide and high for a finger, and so are small buttons', async () => {
  await offerProduct(fixture, { codes: ['FINGER-1', 'FINGER-2'], learners: ['finger@learner.example'] });
  const person = await openPerson(fixture, PHONE);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users');
  const areas = { tick: await measureHitArea(page.locator('tbody label').first()) };
  const filters = await measureHitArea(page.getByRole('button', { name: 'Filters' }));
  await page.goto('/admin/coupons');
  const copy = await measureHitArea(page.getByRole('button', { name: 'Copy FINGER-1' }));
  for (const [name, sizes] of Object.entries({ ...areas, copy, filters }))
    for (const size of sizes) expect(size, name).toBeGreaterThanOrEqual(LEAST_PX);
});

test('R-DAY-63: fields on phones have a font of at least 16 px', async () => {
  const person = await openPerson(fixture, PHONE);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/products');
  for (const path of ['/admin/products?open=add', '/admin/users?open=add', '/admin/coupons?open=add']) {
    await page.goto(path);
    await page
      .getByRole('searchbox')
      .or(page.getByRole('combobox'))
      .or(page.getByRole('textbox'))
      .first()
      .waitFor();
    const sizes = await page
      .locator('input:not([type=checkbox], [type=radio], [type=file]), select, textarea')
      .filter({ visible: true })
      .evaluateAll((fields) => fields.map((field) => Number.parseFloat(getComputedStyle(field).fontSize)));
    expect(sizes.length, path).toBeGreaterThan(1);
    expect(Math.min(...sizes), path).toBeGreaterThanOrEqual(LEAST_FONT_PX);
  }
});
