// Tests that a learner gets exactly one code, however often and from however many tabs they redeem.
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see, WELL_AFTER_ANY_DELAY_MS } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls, holdTimers } from './harness/hold.ts';
import { hasFocus } from './harness/keyboard.ts';

const REDEEM = '/api/redeem-secure';
const REDEEM_DELAY_MS = 500;

const fixture = setFixture();

test('R-AUTO-01, R-AUTO-03: the automatic redemption is attempted once per visit, also when it fails', async () => {
  const product = await offerProduct(fixture, { learners: ['otto@learner.example'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/409/);
  await person.page.clock.install();
  await arriveSignedIn(person, fixture, 'otto@learner.example', `/product/${product.product_id}`);
  await see(person.page, 'No codes left');
  await person.page.clock.runFor(WELL_AFTER_ANY_DELAY_MS);
  expect(person.countCalls(REDEEM)).toBe(1);
});

test('R-PROD-13, R-PROD-30: a double click redeems once, and the button shows Loading... meanwhile', async () => {
  const product = await offerProduct(fixture, {
    learners: ['dora@learner.example'],
    codes: ['DBL-1', 'DBL-2'],
  });
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, 'dora@learner.example');
  const { page } = person;
  await page.clock.install();
  const letThrough = await holdCalls(page, `**${REDEEM}`);
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('button', { name: /^(Redeem Now|Loading\.\.\.)$/ }).dblclick({ force: true });
  await see(page.getByRole('main'), 'Loading...');
  letThrough();
  await see(page, 'DBL-1');
  await page.clock.runFor(WELL_AFTER_ANY_DELAY_MS);
  expect(person.countCalls(REDEEM)).toBe(1);
  expect(await fixture.admin.listAssignedCodes(product)).toEqual(['DBL-1 dora@learner.example']);
});

test('R-AUTO-06: three clicks in one task redeem once, and nothing is attempted once the code is shown', async () => {
  const email = 'trio@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['TRI-1', 'TRI-2', 'TRI-3'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  const timers = await holdTimers(page, REDEEM_DELAY_MS);
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('banner').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Redeem Now' }).evaluate((element: HTMLButtonElement) => {
    for (let click = 0; click < 3; click += 1) element.click();
  });
  await see(page, 'TRI-1');
  await timers.release();
  await page.waitForLoadState('networkidle');
  expect(person.countCalls(REDEEM)).toBe(1);
  expect(await fixture.admin.listAssignedCodes(product)).toEqual([`TRI-1 ${email}`]);
});

test('R-AUTO-01, R-AUTO-02: the automatic redemption waits 500 ms, not less and not more', async () => {
  const email = 'halb@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['HALF-1'] });
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  const timers = await holdTimers(page, REDEEM_DELAY_MS);
  await page.goto(`/product/${product.product_id}`);
  await page.getByRole('banner').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Redeem Now' }).waitFor();
  await timers.waitForOne();
  expect(person.countCalls(REDEEM)).toBe(0);
  await timers.release();
  await see(page, 'HALF-1');
  expect(person.countCalls(REDEEM)).toBe(1);
});

test('two tabs at once show the same code', async () => {
  const product = await offerProduct(fixture, {
    learners: ['zwei@learner.example'],
    codes: ['TAB-1', 'TAB-2'],
  });
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, 'zwei@learner.example');
  const tabs = [person.page, await person.openTab()];
  await Promise.all(tabs.map((tab) => tab.goto(`/product/${product.product_id}`)));
  await Promise.all(tabs.map((tab) => see(tab, 'TAB-1')));
  expect(await fixture.admin.listAssignedCodes(product)).toEqual(['TAB-1 zwei@learner.example']);
});

test('a page that is reloaded before the response shows the code that was issued', async () => {
  const product = await offerProduct(fixture, {
    learners: ['rolf@learner.example'],
    codes: ['MID-1', 'MID-2'],
  });
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, 'rolf@learner.example');
  const { page } = person;
  const answered = new Promise<void>((resolve) => {
    void page.route(
      `**${REDEEM}`,
      async (route) => {
        // The server has issued the code, but the page does not get the response.
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
  expect(await fixture.admin.listAssignedCodes(product)).toEqual(['MID-1 rolf@learner.example']);
});

test('R-ERR-04: a lost connection shows an apology with `Try again`, and both buttons then redeem', async () => {
  const product = await offerProduct(fixture, {
    learners: ['nele@learner.example'],
    codes: ['NET-1', 'NET-2'],
  });
  const person = await openPerson(fixture);
  person.allowComplaint(/ERR_FAILED/);
  await arriveSignedIn(person, fixture, 'nele@learner.example');
  const { page } = person;
  const apology = 'We apologise, there seems to be an error. Please write to us at support@example.org';
  const retry = page.getByRole('button', { name: 'Try again' });
  const redeem = page.getByRole('button', { name: 'Redeem Now' });
  await page.route(`**${REDEEM}`, (route) => route.abort(), { times: 2 });
  await page.goto(`/product/${product.product_id}`);
  await see(page, 'Error', apology);
  await retry.click();
  await expect.poll(() => person.countCalls(REDEEM)).toBe(2);
  await see(page, 'Error', apology);
  expect(await hasFocus(redeem)).toBe(true);
  await redeem.click();
  await see(page, 'NET-1');
  expect(await fixture.admin.listAssignedCodes(product)).toEqual(['NET-1 nele@learner.example']);
});
