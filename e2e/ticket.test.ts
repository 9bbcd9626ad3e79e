// Tests the ticket's print animation: it runs once, over a blank ticket, and does not change the size of the ticket.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signIn } from './harness/api.ts';
import { arriveSignedIn, openPerson, see, storeSession } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const CODE = 'ALDR-7QXK-42ZP';

const fixture = setFixture();

function findTicket(page: Page) {
  return page.getByRole('region', { name: 'Your coupon' });
}

/** Pauses the ticket's running animations at `ms` after their start and returns how many there are. */
function freezePrint(page: Page, ms: number): Promise<number> {
  return findTicket(page).evaluate((ticket, at) => {
    const animations = ticket.getAnimations({ subtree: true });
    for (const animation of animations) {
      animation.pause();
      animation.currentTime = at;
    }
    return animations.length;
  }, ms);
}

function countAnimations(page: Page): Promise<number> {
  return findTicket(page).evaluate((ticket) => ticket.getAnimations({ subtree: true }).length);
}

test('the font for codes loads before there is a code, and nothing that only visitors need is loaded', async () => {
  const email = 'face@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: [] });
  const signedIn = storeSession(fixture.portal.url, await signIn(fixture.portal, email));
  const person = await openPerson(fixture, signedIn);
  // The product has no code, so the redemption fails with 409.
  person.allowComplaint(/409/);
  const { page } = person;
  const files: string[] = [];
  page.on('request', (request) => files.push(request.url()));
  await page.goto(`/product/${product.product_id}`);
  await page.waitForFunction(() => document.fonts.check('500 1em "Geist Mono Variable"'));
  // Hovering over this button loads the login dialog for a visitor. A signed-in learner's page must not load it.
  await page.getByRole('button', { name: 'Redeem Now' }).hover();
  await page.waitForLoadState('networkidle');
  expect(files.filter((file) => file.includes('login-dialog'))).toEqual([]);
});

test.each([390, 1440])(
  'at %d px the print animation of a new code runs over a blank ticket that stays until the end',
  async (width) => {
    const email = `print${width}@learner.example`;
    const product = await offerProduct(fixture, { learners: [email], codes: [CODE] });
    const person = await openPerson(fixture, { viewport: { width, height: 900 } });
    const { page } = person;
    await page.addInitScript(() => {
      document.addEventListener('animationstart', ({ target, animationName }) => {
        if (!/lie-under/.test(animationName) || !(target instanceof Element)) return;
        for (const animation of target.closest('section')?.getAnimations({ subtree: true }) ?? [])
          animation.pause();
      });
    });
    await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
    await see(page, CODE);
    expect(await freezePrint(page, 200)).toBeGreaterThan(0);
    const pieces = findTicket(page).locator('> [aria-hidden] > *');
    expect(await pieces.count()).toBe(2);
    for (const piece of await pieces.all()) {
      expect(await piece.evaluate((element) => getComputedStyle(element).visibility)).toBe('visible');
    }
    const boxes = await findTicket(page)
      .locator('> *, > [aria-hidden] > *')
      .evaluateAll((elements) =>
        elements
          .map((element) => element.getBoundingClientRect())
          .filter((box) => box.width > 0)
          .map(({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ')),
      );
    // The ticket has two pieces, and behind each piece lies a blank one. Four pieces with only two different boxes mean
    // that each piece exactly covers the blank one behind it.
    expect(new Set(boxes).size).toBe(2);
    await findTicket(page).evaluate((ticket) => {
      for (const animation of ticket.getAnimations({ subtree: true })) animation.finish();
    });
    for (const piece of await pieces.all()) {
      expect(await piece.evaluate((element) => getComputedStyle(element).visibility)).toBe('hidden');
    }
  },
);

test('the print animation runs once: not when the window is rotated, on a reload, on Back or in another tab', async () => {
  const email = 'once@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: [CODE] });
  const person = await openPerson(fixture, { viewport: { width: 1024, height: 900 } });
  const { page } = person;
  const path = `/product/${product.product_id}`;
  await arriveSignedIn(person, fixture, email, path);
  await see(page, CODE);
  const printing = page.locator('[data-fresh]');
  expect(await printing.count()).toBe(1);
  await expect.poll(() => countAnimations(page)).toBe(0);
  await page.setViewportSize({ width: 600, height: 900 });
  expect(await countAnimations(page)).toBe(0);

  await page.reload();
  await see(page, CODE);
  expect(await printing.count()).toBe(0);
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await page.goBack();
  await see(page, CODE);
  expect(await printing.count()).toBe(0);

  const tab = await person.openTab();
  await tab.goto(path);
  await see(tab, CODE);
  expect(await tab.locator('[data-fresh]').count()).toBe(0);
});

test('the ticket in the code dialog keeps its own shape inside a ticket that was just printed', async () => {
  const email = 'nested@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: [CODE] });
  const person = await openPerson(fixture, { viewport: { width: 1440, height: 900 } });
  const { page } = person;
  await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
  await see(page, CODE);
  await page.getByRole('button', { name: 'View code' }).click();
  const dialog = page.getByRole('dialog');
  const code = await dialog.getByText(CODE, { exact: true }).boundingBox();
  const visit = await dialog.getByRole('link', { name: 'Visit Site To Redeem' }).boundingBox();
  expect(visit?.y).toBeGreaterThan((code?.y ?? 0) + (code?.height ?? 0));
  // One line is less than 50 pixels high, so the code is on one line.
  expect(code?.height).toBeLessThan(50);
});
