// However often and from wherever a learner asks, one code is theirs and no second one is spent.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const REDEEM = '/api/redeem-secure';
const REDEEM_DELAY_MS = 500;
const WELL_AFTER_ANY_DELAY_MS = 10_000;

const scene = setScene();

test('the automatic redemption is attempted once a visit, also when it fails', async () => {
  const product = await offerProduct(scene, { learners: ['otto@learner.example'] });
  const person = await openPerson(scene);
  person.allowComplaint(/409/);
  await person.page.clock.install();
  await arriveSignedIn(person, scene, 'otto@learner.example', `/product/${product.product_id}`);
  await see(person.page, 'No codes left');
  await person.page.clock.runFor(WELL_AFTER_ANY_DELAY_MS);
  expect(person.countCalls(REDEEM)).toBe(1);
});

test('a double click redeems once', async () => {
  const product = await offerProduct(scene, {
    learners: ['dora@learner.example'],
    codes: ['DBL-1', 'DBL-2'],
  });
  const person = await openPerson(scene);
  await arriveSignedIn(person, scene, 'dora@learner.example');
  const { page } = person;
  await page.clock.install();
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(`**${REDEEM}`, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('button', { name: /^(Redeem Now|Loading\.\.\.)$/ }).dblclick({ force: true });
  await see(page.getByRole('main'), 'Loading...');
  letThrough();
  await see(page, 'DBL-1');
  await page.clock.runFor(WELL_AFTER_ANY_DELAY_MS);
  expect(person.countCalls(REDEEM)).toBe(1);
  expect(await scene.admin.listHeldCodes(product)).toEqual(['DBL-1 dora@learner.example']);
});

/** Holds back what the page wants to do after exactly `delayMs`; answers how to let it happen. */
async function holdTimers(page: Page, delayMs: number): Promise<() => Promise<void>> {
  await page.addInitScript((heldMs) => {
    const start = window.setTimeout;
    const held: (() => void)[] = [];
    const startOrHold = (run: () => void, ms?: number) => {
      if (ms !== heldMs) return start(run, ms);
      held.push(run);
      return 0;
    };
    Object.assign(window, { setTimeout: startOrHold, releaseHeld: () => held.splice(0).map((run) => run()) });
  }, delayMs);
  return () => page.evaluate('releaseHeld()');
}

test('three clicks in one task redeem once', async () => {
  const email = 'trio@learner.example';
  const product = await offerProduct(scene, { learners: [email], codes: ['TRI-1', 'TRI-2', 'TRI-3'] });
  const person = await openPerson(scene);
  const { page } = person;
  await arriveSignedIn(person, scene, email);
  const release = await holdTimers(page, REDEEM_DELAY_MS);
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('banner').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Redeem Now' }).evaluate((element: HTMLButtonElement) => {
    for (let click = 0; click < 3; click += 1) element.click();
  });
  await see(page, 'TRI-1');
  await release();
  await page.waitForLoadState('networkidle');
  expect(person.countCalls(REDEEM)).toBe(1);
  expect(await scene.admin.listHeldCodes(product)).toEqual([`TRI-1 ${email}`]);
});

test('the automatic redemption waits 500 ms, and not less', async () => {
  const email = 'halb@learner.example';
  const product = await offerProduct(scene, { learners: [email], codes: ['HALF-1'] });
  const person = await openPerson(scene);
  const { page } = person;
  await arriveSignedIn(person, scene, email);
  const release = await holdTimers(page, REDEEM_DELAY_MS);
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('banner').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Redeem Now' }).waitFor();
  await page.waitForTimeout(2 * REDEEM_DELAY_MS);
  expect(person.countCalls(REDEEM)).toBe(0);
  await release();
  await see(page, 'HALF-1');
});

test('two tabs at once show the same code', async () => {
  const product = await offerProduct(scene, {
    learners: ['zwei@learner.example'],
    codes: ['TAB-1', 'TAB-2'],
  });
  const person = await openPerson(scene);
  await arriveSignedIn(person, scene, 'zwei@learner.example');
  const tabs = [person.page, await person.openTab()];
  await Promise.all(tabs.map((tab) => tab.goto(`/product/${product.product_id}`)));
  await Promise.all(tabs.map((tab) => see(tab, 'TAB-1')));
  expect(await scene.admin.listHeldCodes(product)).toEqual(['TAB-1 zwei@learner.example']);
});

test('a page that is reloaded before the answer came shows the code that was taken', async () => {
  const product = await offerProduct(scene, {
    learners: ['rolf@learner.example'],
    codes: ['MID-1', 'MID-2'],
  });
  const person = await openPerson(scene);
  await arriveSignedIn(person, scene, 'rolf@learner.example');
  const { page } = person;
  const answered = new Promise<void>((resolve) => {
    void page.route(
      `**${REDEEM}`,
      async (route) => {
        // The server has decided, but the page never hears of it.
        await route.fetch();
        resolve();
      },
      { times: 1 },
    );
  });
  await page.goto(`/product/${product.product_id}`);
  await answered;
  await page.reload();
  await see(page, 'MID-1');
  expect(await scene.admin.listHeldCodes(product)).toEqual(['MID-1 rolf@learner.example']);
});

test('after a lost connection the same button brings the code', async () => {
  const product = await offerProduct(scene, {
    learners: ['nele@learner.example'],
    codes: ['NET-1', 'NET-2'],
  });
  const person = await openPerson(scene);
  person.allowComplaint(/ERR_FAILED/);
  await arriveSignedIn(person, scene, 'nele@learner.example');
  const { page } = person;
  await page.route(`**${REDEEM}`, (route) => route.abort(), { times: 1 });
  await page.goto(`/product/${product.product_id}`);
  await see(
    page,
    'Error',
    /^We apologise, there seems to be an error\. Please write to us at support@example\.org$/,
  );
  await page.getByRole('button', { name: 'Redeem Now' }).click();
  await see(page, 'NET-1');
  expect(await scene.admin.listHeldCodes(product)).toEqual(['NET-1 nele@learner.example']);
});
