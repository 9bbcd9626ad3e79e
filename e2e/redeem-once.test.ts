// However often and from wherever a learner asks, one code is theirs and no second one is spent.
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setScene } from './harness/scene.ts';

const REDEEM = '/api/redeem-secure';
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
