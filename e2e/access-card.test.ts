// Tests changes of staff on the access card: the dates of an access, the access itself, and the code of a learner.
import { getUserAccess, type Product, setProductStatus, withdrawGrant } from '@portal/contract';
import { expect, test } from 'vitest';
import { openCard } from './harness/admin-pages.ts';
import { redeem, signIn } from './harness/api.ts';
import { arriveSignedIn, keepPerson, see, takeToast } from './harness/browser.ts';
import { type Fixture, setFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { dayIn } from './harness/states.ts';

const GENERATE_CALL = '/api/admin/generate-coupon';
const REVOKE_CALL = '/api/admin/coupons/';

const fixture: Fixture = setFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users'));

/** Formats a day (YYYY-MM-DD) as the access card shows it. */
const shown = (day: string) =>
  new Date(day).toLocaleDateString('en-US', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });

/** Creates a product with `codes` and gives the learner with this address access to it. */
async function give(email: string, name: string, ...codes: string[]): Promise<Product> {
  const product = await fixture.admin.addProduct({ name });
  await fixture.admin.addCodes(product, ...codes);
  await fixture.admin.addLearner(email, product);
  return product;
}

/** Creates a product with `codes` and issues the first code to the learner with this address. */
async function issue(email: string, name: string, ...codes: string[]): Promise<Product> {
  const product = await give(email, name, ...codes);
  await fixture.admin.giveCode(email, product);
  return product;
}

async function lookUp(email: string): Promise<void> {
  await openCard(staff.page, 'User Access Management');
  await staff.page.getByLabel('User email').fill(email);
  await staff.page.getByRole('button', { name: 'View Products' }).click();
  await see(staff.page.getByRole('main'), email);
}

/** Returns the list item of the product with this name on the access card. */
const line = (name: string) => staff.page.getByRole('main').getByRole('listitem').filter({ hasText: name });
const act = (name: string) => staff.page.getByRole('menuitem', { name });
const dialog = () => staff.page.getByRole('alertdialog').or(staff.page.getByRole('dialog'));
const opener = (product: string) =>
  staff.page.getByRole('button', { name: `More for ${product}`, exact: true });

/** Waits until the button of the product is disabled, with the description `reason`, and checks that it does nothing. */
async function seeOff(product: string, name: string, reason: string): Promise<void> {
  await see(line(product), reason);
  const button = line(product).getByRole('button', { name });
  expect(await button.getAttribute('aria-disabled')).toBe('true');
  const descriptions = (await button.getAttribute('aria-describedby'))?.split(' ');
  expect(await staff.page.locator(`[id="${descriptions?.at(-1)}"]`).textContent()).toBe(reason);
  const calls = staff.countCalls(GENERATE_CALL, 'POST');
  await button.click({ force: true });
  expect([await dialog().count(), staff.countCalls(GENERATE_CALL, 'POST')]).toEqual([0, calls]);
}

async function openMenu(product: string): Promise<void> {
  await opener(product).click();
}

async function choose(product: string, name: string): Promise<void> {
  await openMenu(product);
  await act(name).click();
  await dialog().getByRole('heading', { name }).waitFor();
}

async function confirm(button: string, reason = 'left the course'): Promise<void> {
  if (button === 'Replace code') await dialog().getByText('Other…').click();
  await dialog()
    .getByRole('textbox', { name: /reason/i })
    .fill(reason);
  await dialog().getByRole('button', { name: button }).click();
  await dialog().waitFor({ state: 'detached' });
}

test('R-LIFE-32, N-98, C-9: an earlier end needs a reason, another change of the dates does not; days in the wrong order are shown and not sent', async () => {
  const { page } = staff;
  await give('dan@learner.example', 'Tool of Dan');
  await lookUp('dan@learner.example');
  const today = dayIn(0);
  await see(line('Tool of Dan'), `Valid from ${shown(today)}`);
  await choose('Tool of Dan', 'Change dates');
  await see(dialog(), 'Access of Lea Lerner to Tool of Dan.');
  let sent = 0;
  page.on('request', (request) => {
    if (/\/grants\/\d+\/edit$/.test(request.url())) sent += 1;
  });
  const until = dialog().getByLabel('Until');
  await until.fill(dayIn(-3));
  await dialog().getByRole('button', { name: 'Save Dates' }).click();
  await see(dialog(), 'The last day is before the first.', 'Give a reason of at least 3 characters');
  expect(sent).toBe(0);
  await until.fill(dayIn(90));
  await confirm('Save Dates', 'course ends');
  await takeToast(page, 'default', 'Success', 'Dates changed');
  await see(line('Tool of Dan'), `Valid ${shown(today)} to ${shown(dayIn(90))}`);
  expect(sent).toBe(1);

  await choose('Tool of Dan', 'Change dates');
  await dialog().getByLabel('From').fill(dayIn(10));
  await dialog().getByLabel('Reason optional').fill('ab');
  await dialog().getByRole('button', { name: 'Save Dates' }).click();
  await see(dialog(), 'Give a reason of at least 3 characters');
  await confirm('Save Dates', '');
  await see(line('Tool of Dan'), `Valid ${shown(dayIn(10))} to ${shown(dayIn(90))}`);
  await seeOff('Tool of Dan', 'Generate Coupon for User', `Access begins on ${shown(dayIn(10))}.`);
});

test('R-LIFE-14: an open dialog does not undo dates that somebody else has set, and goes on from those', async () => {
  const product = await give('una@learner.example', 'Tool of Una');
  staff.allowComplaint(/409/);
  await lookUp('una@learner.example');
  await choose('Tool of Una', 'Change dates');
  await fixture.admin.giveAccess('una@learner.example', product, { starts_on: dayIn(-9) });
  await dialog().getByLabel('From').fill(dayIn(5));
  await dialog().getByRole('button', { name: 'Save Dates' }).click();
  await see(dialog(), /^Somebody else changed this meanwhile\. The fields show the newer dates\./);
  expect(await dialog().getByLabel('From').inputValue()).toBe(dayIn(-9));
  await dialog().getByLabel('From').fill(dayIn(6));
  await confirm('Save Dates', '');
  await see(line('Tool of Una'), `Valid from ${shown(dayIn(6))}`);
});

test('N-64, R-LIFE-32, N-106: access that is over is listed below, and its dates can be changed', async () => {
  const { page } = staff;
  await give('ove@learner.example', 'Another of Ove');
  const days = { starts_on: dayIn(-30), ends_on: dayIn(-1) };
  await fixture.admin.giveAccess(
    'ove@learner.example',
    await fixture.admin.addProduct({ name: 'Tool of Ove' }),
    days,
  );
  await lookUp('ove@learner.example');
  await see(page.getByRole('main'), '1 product');
  const below = page.getByRole('heading', { name: 'No access now' }).locator('+ ul');
  await see(below, 'Tool of Ove', `Valid ${shown(days.starts_on)} to ${shown(days.ends_on)}`);
  expect(await below.getByRole('listitem').count()).toBe(1);
  await seeOff('Tool of Ove', 'Generate Coupon for User', 'This person has no access now.');
  await choose('Tool of Ove', 'Change dates');
  await dialog().getByLabel('Until').fill(dayIn(30));
  await confirm('Save Dates', '');
  await see(line('Tool of Ove'), `Valid ${shown(days.starts_on)} to ${shown(dayIn(30))}`);
  await see(page.getByRole('main'), '2 products');
  expect(await page.getByRole('heading', { name: 'No access now' }).count()).toBe(0);
  expect(await hasFocus(opener('Tool of Ove'))).toBe(true);
});

test('R-LIFE-32, N-97: with several grants, the dialog asks which one; another one that begins later does not keep the access', async () => {
  const product = await give('two@learner.example', 'Tool of Two');
  await fixture.admin.giveAccess('two@learner.example', 'all', { starts_on: dayIn(20) });
  await lookUp('two@learner.example');
  await choose('Tool of Two', 'Remove access');
  const choice = dialog().getByRole('group', { name: 'Which access?' });
  await choice.getByRole('radio', { name: /^All products/ }).check();
  await see(dialog(), /^This ends the access of .* to all products/);
  await choice.getByRole('radio', { name: /^Tool of Two/ }).check();
  const day = shown(dayIn(20));
  await see(dialog(), `Lea Lerner cannot redeem Tool of Two until ${day}, when the other access begins.`);
  await confirm('Remove access');
  await takeToast(staff.page, 'default', 'Success', 'Access removed');
  await see(line('Tool of Two'), `Valid from ${day}`);
  const { access_token } = await signIn(fixture.portal, 'two@learner.example');
  await expect(redeem(fixture.portal.url, product.product_id, access_token)).rejects.toThrow(
    'access_not_started',
  );
});

test('R-LIFE-32: another access that is live keeps the access, also to a product of an access to all products', async () => {
  await give('liv@learner.example', 'Tool of Liv');
  await fixture.admin.giveAccess('liv@learner.example', 'all', {});
  await lookUp('liv@learner.example');
  await choose('Tool of Liv', 'Remove access');
  await see(dialog(), 'Lea Lerner keeps the other access to Tool of Liv.');
  await dialog()
    .getByRole('radio', { name: /^All products/ })
    .check();
  await see(dialog(), /^This ends the access .* Lea Lerner keeps the other access to Tool of Liv\.$/);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
});

test('R-LIFE-32, R-LIFE-07, HOLD: access removed without revoking leaves the learner the code, which staff can only replace', async () => {
  const product = await issue('hol@learner.example', 'Tool of Hol', 'HOL-1', 'HOL-2');
  await lookUp('hol@learner.example');
  await choose('Tool of Hol', 'Remove access');
  await see(dialog(), 'Without this they keep seeing the code they hold.');
  expect(await dialog().getByRole('checkbox').isChecked()).toBe(false);
  await confirm('Remove access');
  await staff.page.getByRole('heading', { name: 'No access now' }).waitFor();
  await see(line('Tool of Hol'), 'HOL-1');
  expect(await hasFocus(opener('Tool of Hol'))).toBe(true);
  await line('Tool of Hol').getByRole('button', { name: 'Copy HOL-1' }).waitFor();
  await seeOff('Tool of Hol', 'Regenerate Coupon', 'This person has no access now.');
  const { access_token } = await signIn(fixture.portal, 'hol@learner.example');
  expect(await redeem(fixture.portal.url, product.product_id, access_token)).toBe('HOL-1');

  await openMenu('Tool of Hol');
  for (const name of ['Change dates', 'Remove access']) {
    expect(await act(name).getAttribute('aria-disabled')).toBe('true');
    await see(act(name), 'This person has no access now.');
  }
  await staff.page.keyboard.press('Escape');
  await choose('Tool of Hol', 'Replace code');
  await confirm('Replace code');
  await see(line('Tool of Hol'), 'HOL-2');
});

test('R-LIFE-32, R-LIFE-14: access removed together with the code: the code is struck through and cannot be copied', async () => {
  const product = await issue('rem@learner.example', 'Tool of Rem', 'REM-1', 'REM-2');
  await lookUp('rem@learner.example');
  await choose('Tool of Rem', 'Remove access');
  await dialog().getByRole('checkbox', { name: 'Also revoke the code' }).check();
  await confirm('Remove access');
  await line('Tool of Rem').getByRole('deletion').filter({ hasText: 'REM-1' }).waitFor();
  expect(await line('Tool of Rem').getByRole('button', { name: /^Copy/ }).count()).toBe(0);
  const { access_token } = await signIn(fixture.portal, 'rem@learner.example');
  await expect(redeem(fixture.portal.url, product.product_id, access_token)).rejects.toThrow('code_revoked');
});

test('R-LIFE-32, N-64, A-86: a product whose access was removed stays below, with the focus; also if somebody else removed it', async () => {
  const product = await give('gon@learner.example', 'Tool of Gon');
  await lookUp('gon@learner.example');
  await choose('Tool of Gon', 'Remove access');
  expect(await dialog().getByRole('checkbox').count()).toBe(0);
  await confirm('Remove access');
  await see(staff.page.getByRole('main'), '0 products', 'No access now');
  await see(line('Tool of Gon'), `Removed ${shown(dayIn(0))}`, 'No code yet');
  expect(await hasFocus(opener('Tool of Gon'))).toBe(true);

  await fixture.admin.giveAccess('gon@learner.example', product, {});
  await lookUp('gon@learner.example');
  await see(staff.page.getByRole('main'), '1 product');
  await openMenu('Tool of Gon');
  const { products } = await fixture.admin.call(getUserAccess, { params: { email: 'gon@learner.example' } });
  const standing = products[0]?.grants.find(({ state }) => state === 'live');
  await fixture.admin.call(withdrawGrant, { params: { id: standing?.id ?? '' }, body: { reason: 'refund' } });
  await act('Remove access').click();
  await see(staff.page.getByRole('main'), '0 products', 'No access now');
  await expect.poll(() => hasFocus(opener('Tool of Gon'))).toBe(true);
  await takeToast(staff.page, 'destructive', 'Error', 'Somebody else changed this meanwhile.');
});

test('R-LIFE-07: of an archived product, the holder of a code gets no further one', async () => {
  const product = await issue('arc@learner.example', 'Tool of Arc', 'ARC-1', 'ARC-2');
  const params = { id: product.product_id };
  await fixture.admin.call(setProductStatus, { params, body: { status: 'archived', note: null } });
  await lookUp('arc@learner.example');
  await seeOff('Tool of Arc', 'Regenerate Coupon', 'This product is archived.');
});

test('R-LIFE-32, R-LIFE-15, R-LIFE-06: a revoked code is struck through, and the learner gets no other one', async () => {
  const product = await issue('rev@learner.example', 'Tool of Rev', 'REV-1', 'REV-2');
  await lookUp('rev@learner.example');
  await choose('Tool of Rev', 'Revoke code');
  await confirm('Revoke code', 'shared in a forum');
  await takeToast(staff.page, 'default', 'Success', 'Code revoked');
  await line('Tool of Rev').getByRole('deletion').filter({ hasText: 'REV-1' }).waitFor();
  await see(line('Tool of Rev'), /^Revoked /);
  await openMenu('Tool of Rev');
  await expect
    .poll(() => staff.page.getByRole('menuitem').allTextContents())
    .toEqual(['Change dates', 'Remove access']);
  await staff.page.keyboard.press('Escape');
  const { access_token } = await signIn(fixture.portal, 'rev@learner.example');
  await expect(redeem(fixture.portal.url, product.product_id, access_token)).rejects.toThrow('code_revoked');

  await line('Tool of Rev').getByRole('button', { name: 'Regenerate Coupon' }).click();
  await see(dialog(), 'REV-1 was taken from Lea Lerner. They get another code of Tool of Rev now.');
  await dialog().getByRole('button', { name: 'Regenerate Coupon' }).click();
  await see(line('Tool of Rev'), 'REV-2');
});

test('R-LIFE-32, N-46: the question before a code is revoked says that an earlier one comes back', async () => {
  const { page } = staff;
  const product = await issue('ear@learner.example', 'Tool of Ear', 'EAR-1', 'EAR-2');
  await lookUp('ear@learner.example');
  await choose('Tool of Ear', 'Revoke code');
  await see(
    dialog(),
    /^EAR-1 is taken from .* They see ‘Code withdrawn’ and get no other one by themselves\.$/,
  );
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await line('Tool of Ear').getByRole('button', { name: 'Regenerate Coupon' }).click();
  await dialog().getByRole('button', { name: 'Regenerate Coupon' }).click();
  await see(line('Tool of Ear'), 'EAR-2');
  await choose('Tool of Ear', 'Revoke code');
  await see(dialog(), /^EAR-2 is taken from .* They see the code again that they got before\.$/);
  await confirm('Revoke code', 'used up');
  await takeToast(page, 'default', 'Success', 'Code revoked');
  await see(line('Tool of Ear'), 'EAR-1');
  const { access_token } = await signIn(fixture.portal, 'ear@learner.example');
  expect(await redeem(fixture.portal.url, product.product_id, access_token)).toBe('EAR-1');
});

test('R-LIFE-32: an act that somebody else has made impossible meanwhile says so, and the card shows the new state', async () => {
  const product = await issue('mea@learner.example', 'Tool of Mea', 'MEA-1', 'MEA-2');
  await lookUp('mea@learner.example');
  await openMenu('Tool of Mea');
  await fixture.admin.undo(product, 'MEA-1');
  await act('Revoke code').click();
  await takeToast(staff.page, 'destructive', 'Error', 'Somebody else changed this meanwhile.');
  await line('Tool of Mea').getByRole('deletion').filter({ hasText: 'MEA-1' }).waitFor();
  expect(await dialog().count()).toBe(0);
});

test('R-LIFE-32: the second click of a double click on an act does not press the button below the menu', async () => {
  const { page } = staff;
  await give('dbl@learner.example', 'Tool of Dbl 1', 'DBL-1');
  await fixture.admin.giveAccess(
    'dbl@learner.example',
    await fixture.admin.addProduct({ name: 'Tool of Dbl 2' }),
    {},
  );
  await lookUp('dbl@learner.example');
  const below = line('Tool of Dbl 2').getByRole('button', { name: /^Generate/ });
  const box = await below.boundingBox();
  const at = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
  await openMenu('Tool of Dbl 1');
  const covers = ({ x, y }: typeof at) =>
    document.elementFromPoint(x, y)?.closest('[role=menuitem]') !== null;
  expect(await page.evaluate(covers, at)).toBe(true);
  const before = staff.countCalls(GENERATE_CALL, 'POST');
  await page.mouse.dblclick(at.x, at.y);
  await dialog().waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  expect(staff.countCalls(GENERATE_CALL, 'POST')).toBe(before);
  await see(line('Tool of Dbl 2'), 'No code yet');
});

test('R-LIFE-32, R-LIFE-15: a code that was just issued is revoked and replaced at once', async () => {
  const product = await give('rep@learner.example', 'Tool of Rep', 'REP-1', 'REP-2', 'REP-3');
  await lookUp('rep@learner.example');
  await line('Tool of Rep')
    .getByRole('button', { name: /^Generate/ })
    .click();
  await takeToast(staff.page, 'default', 'Success', 'Coupon generated: REP-1');
  await choose('Tool of Rep', 'Replace code');
  await see(dialog(), 'REP-1', /2 are left\.$/);
  await confirm('Replace code', 'used up');
  await takeToast(staff.page, 'default', 'Success', 'Code replaced: REP-2');
  await see(line('Tool of Rep'), 'REP-2');
  const { access_token } = await signIn(fixture.portal, 'rep@learner.example');
  expect(await redeem(fixture.portal.url, product.product_id, access_token)).toBe('REP-2');
});

test('R-LIFE-32: a refused act is reported, and the dialog keeps what was typed', async () => {
  staff.allowComplaint(/409/);
  await issue('ref@learner.example', 'Tool of Ref', 'REF-1');
  await lookUp('ref@learner.example');
  await choose('Tool of Ref', 'Revoke code');
  const json = { code: 'not_held', message: 'Nobody holds this code.' };
  await staff.page.route(`**${REVOKE_CALL}*/revoke`, (route) => route.fulfill({ status: 409, json }));
  await dialog().getByLabel('Reason').fill('typed by mistake');
  await dialog().getByRole('button', { name: 'Revoke code' }).click();
  await takeToast(staff.page, 'destructive', 'Error', 'Nobody holds this code.');
  expect(await dialog().getByLabel('Reason').inputValue()).toBe('typed by mistake');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
});

test('R-LIFE-32, C-11: the menu works with the keyboard, and the focus returns to its button', async () => {
  const { page } = staff;
  await issue('key@learner.example', 'Tool of Key', 'KEY-1', 'KEY-2');
  await lookUp('key@learner.example');
  await opener('Tool of Key').focus();
  for (const [key, name] of [
    ['ArrowDown', 'Change dates'],
    ['ArrowDown', 'Remove access'],
    ['End', 'Replace code'],
    ['ArrowDown', 'Change dates'],
    ['ArrowUp', 'Replace code'],
    ['Home', 'Change dates'],
    ['r', 'Remove access'],
    ['r', 'Revoke code'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => hasFocus(act(name)), { message: `${key} leads to ${name}` }).toBe(true);
  }
  for (const key of ['Escape', 'Tab']) {
    await page.keyboard.press(key);
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await hasFocus(opener('Tool of Key'))).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
  }
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(dialog().getByRole('radio').first())).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(() => hasFocus(opener('Tool of Key'))).toBe(true);
});
