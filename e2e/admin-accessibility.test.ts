// Administrators' pages, in light on a desk and in dark on a phone: no fault that axe can find, nothing cut off.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const scene = setScene();
const looks = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 320 },
] as const;

test.each([
  ['/admin', 'Stock left'],
  ['/admin/products', 'Existing Products'],
  ['/admin/users', 'Existing Users'],
  ['/admin/coupons', 'Existing Coupons'],
])('%s: no fault that axe can find, and nothing cut off', async (path, words) => {
  await offerProduct(scene, { learners: ['axel@learner.example'], codes: [`CODE-${path}`] });
  for (const { colorScheme, width } of looks) {
    const person = await openPerson(scene, { colorScheme, viewport: { width, height: 900 } });
    await arriveSignedIn(person, scene, ADMIN_EMAIL);
    const { page } = person;
    await page.goto(path);
    await see(page, words);
    if (path === '/admin/users') {
      await page.getByLabel('User email').fill('axel@learner.example');
      await page.getByRole('button', { name: 'View Products' }).click();
      await page.getByRole('button', { name: 'Generate Coupon for User' }).first().waitFor();
      await page.getByRole('button', { name: 'Save User' }).click();
      await see(page, 'Select at least one product');
    }
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(
      violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
      colorScheme,
    ).toEqual([]);
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(tooWide, `pixels too wide at ${width}`).toBe(0);
  }
});
