// Tests that a notification never covers the focused element, in windows of several sizes.
import { test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { tabTo } from './harness/keyboard.ts';

const fixture = setFixture();

test.each([
  [1440, 900],
  [390, 844],
  // The size in CSS pixels of a 1280 by 1024 window at 400 % zoom.
  [320, 256],
])('in a window of %d by %d a notification never covers the focused element', async (width, height) => {
  const person = await openPerson(fixture, { viewport: { width, height }, reducedMotion: 'reduce' });
  const { page } = person;
  const email = `frei-${width}@learner.example`;
  const product = await offerProduct(fixture, { learners: [email], codes: [`FREE-${width}`] });
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(page, `FREE-${width}`);
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await see(page, 'Success!');
  await tabTo(page, page.getByRole('contentinfo').getByRole('link').last());
  await see(page, 'Success!');
});
