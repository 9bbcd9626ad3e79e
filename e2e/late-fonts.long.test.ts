// Tests that fonts which load late move no text, in a phone window and a desktop window.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signIn } from './harness/api.ts';
import { openPerson, see, storeSession } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { recordShifts } from './harness/layout-shift.ts';

const fixture = setFixture();

test.each([390, 1440])('at %d px nothing on a page moves when the fonts load late', async (width) => {
  const email = `waage-${width}@learner.example`;
  const code = `LATE-${width}`;
  const product = await offerProduct(fixture, { learners: [email], codes: [code] });
  const learner = storeSession(fixture.portal.url, await signIn(fixture.portal, email));
  const path = `/product/${product.product_id}`;
  const visits = [
    { path: '/', words: 'Login to redeem your coupons', options: {} },
    { path, words: 'How To Redeem Your Offer', options: {} },
    { path, words: code, options: learner },
  ];
  for (const { path, words, options } of visits) {
    const { page } = await openPerson(fixture, { ...options, viewport: { width, height: 900 } });
    const readShifts = await recordShifts(page);
    const letFonts = await holdCalls(page, '**/*.woff2');
    await page.goto(path, { waitUntil: 'commit' });
    await see(page, words);
    await waitForFrames(page);
    letFonts();
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    await waitForFrames(page);
    expect(await readShifts(), words).toEqual([]);
  }
});

/** Waits two frames, so that the last change has been painted. */
function waitForFrames(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}
