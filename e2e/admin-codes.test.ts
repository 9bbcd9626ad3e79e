// Tests how staff look up, issue and replace codes of one learner, and wait before the next replacement.
import type { Product } from '@portal/contract';
import { expect, test } from 'vitest';
import { chooseInMenu, openCard } from './harness/admin-pages.ts';
import { redeem, signIn } from './harness/api.ts';
import { arriveSignedIn, keepPerson, openPerson, see, seeToast, takeToast } from './harness/browser.ts';
import { type Fixture, setFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const GENERATE = 'Generate Coupon for User';
const REGENERATE = 'Regenerate Coupon';
const GENERATE_CALL = '/api/admin/generate-coupon';
const REGENERATE_CALL = '/api/admin/regenerate-coupon';

const fixture: Fixture = setFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users'));

/** Creates a product with `codes` and gives the learner with this address access to it. */
async function give(email: string, name: string, ...codes: string[]): Promise<Product> {
  const product = await fixture.admin.addProduct({ name });
  await fixture.admin.addCodes(product, ...codes);
  await fixture.admin.addLearner(email, product);
  return product;
}

async function lookUp({ page }: Pick<typeof staff, 'page'>, email: string): Promise<void> {
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(email);
  await page.getByRole('button', { name: 'View Products' }).click();
  await see(page.getByRole('main'), email);
}

/** Returns the list item of a product in the result of a look-up. */
function line({ page }: Pick<typeof staff, 'page'>, name: string) {
  return page.getByRole('main').getByRole('listitem').filter({ hasText: name });
}

async function regenerate(person: Pick<typeof staff, 'page'>, name: string): Promise<void> {
  await line(person, name).getByRole('button', { name: REGENERATE }).click();
  await person.page.getByRole('alertdialog').getByRole('button', { name: REGENERATE }).click();
}

test('R-GEN-10, R-UAC-01, R-UAC-02, R-UAC-03, R-UAC-04, R-UAC-05, R-UAC-06: a look-up shows only the products of that user, each with its code and date or a button that generates one', async () => {
  const assigned = await give('ute@learner.example', 'Held by Ute', 'UTE-1');
  await give('ute@learner.example', 'Not yet held by Ute', 'UTE-2');
  await give('other@learner.example', 'Of another learner');
  await fixture.admin.giveCode('ute@learner.example', assigned);
  const { page } = staff;
  await see(page, 'User Access Management');
  await lookUp(staff, 'ute@learner.example');
  const today = new Date().toLocaleDateString('en-US', { day: 'numeric', month: 'short', year: 'numeric' });
  await see(line(staff, 'Held by Ute').first(), 'UTE-1', `Assigned ${today}`);
  await line(staff, 'UTE-1').getByRole('button', { name: REGENERATE }).waitFor();
  await see(page.getByRole('main'), 'Last sign-in: Never');
  await line(staff, 'Not yet held by Ute').getByRole('button', { name: GENERATE }).waitFor();
  expect(await page.getByText('Of another learner').count()).toBe(0);
});
test('A-86: a product that the form adds appears in the look-up afterwards', async () => {
  const email = 'ava@learner.example';
  await give(email, 'First of Ava');
  await fixture.admin.addProduct({ name: 'Second of Ava' });
  const { page } = staff;
  await page.reload();
  await lookUp(staff, email);
  await openCard(page, 'Add New User');
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill(email);
  await chooseInMenu(page, /^Products(?! for)/, 'Second of Ava');
  await page.getByRole('textbox', { name: 'Name' }).fill('Ava');
  await page.getByRole('button', { name: 'Save User' }).click();
  await takeToast(page, 'default', 'Success', 'User created/updated successfully');
  await lookUp(staff, email);
  await line(staff, 'Second of Ava').getByRole('button', { name: GENERATE }).waitFor();
});

test('R-GEN-11, R-UAC-07, R-UAC-08, R-CACHE-10: a generated code is shown in a notification and in its place, and the list of coupons has its owner', async () => {
  const product = await give('gil@learner.example', 'Tool of Gil', 'GIL-1');
  const { page } = staff;
  await page.getByRole('link', { name: 'Coupons', exact: true }).click();
  await page.getByRole('row').filter({ hasText: 'GIL-1' }).getByText('Available').waitFor();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await lookUp(staff, 'gil@learner.example');
  const lookUps = staff.countCalls('/api/admin/user-access/gil%40learner.example');
  const sent = page.waitForRequest((request) => request.url().endsWith(GENERATE_CALL));
  await line(staff, 'Tool of Gil').getByRole('button', { name: GENERATE }).click();
  expect((await sent).postDataJSON()).toEqual({
    email: 'gil@learner.example',
    productId: product.product_id,
    generate: false,
  });
  await takeToast(page, 'default', 'Success', 'Coupon generated: GIL-1');
  await see(line(staff, 'Tool of Gil'), 'GIL-1');
  await line(staff, 'Tool of Gil').getByRole('button', { name: REGENERATE }).waitFor();
  expect(staff.countCalls('/api/admin/user-access/gil%40learner.example')).toBe(lookUps);

  await page.getByRole('link', { name: 'Coupons', exact: true }).click();
  await page.getByRole('row').filter({ hasText: 'GIL-1' }).getByText('gil@learner.example').waitFor();
  await page.getByRole('link', { name: 'Users', exact: true }).click();
});

test('R-UAC-10, R-UAC-11, R-VAL-34: replacing a code needs a confirmation with a warning, and nothing is sent before', async () => {
  const product = await give('ida@learner.example', 'Tool of Ida', 'IDA-1');
  await fixture.admin.giveCode('ida@learner.example', product);
  const { page } = staff;
  await lookUp(staff, 'ida@learner.example');
  const dialog = page.getByRole('alertdialog');
  for (const refuse of [
    () => dialog.getByRole('button', { name: 'Cancel' }).click(),
    () => page.keyboard.press('Escape'),
  ]) {
    await line(staff, 'Tool of Ida').getByRole('button', { name: REGENERATE }).click();
    await dialog.getByText(/will hold multiple coupons for the product/).waitFor();
    await refuse();
    await dialog.waitFor({ state: 'detached' });
  }
  expect(staff.countCalls(REGENERATE_CALL)).toBe(0);
  await see(line(staff, 'Tool of Ida'), 'IDA-1');
});

test('R-GEN-11, R-UAC-12, R-UAC-13, R-UAC-09: a regenerated code is shown in a notification and in its place, and the old one stays the learner’s', async () => {
  const email = 'eva@learner.example';
  const product = await give(email, 'Tool of Eva', 'EVA-1', 'EVA-2');
  await fixture.admin.giveCode(email, product);
  const { page } = staff;
  await lookUp(staff, email);
  const sent = page.waitForRequest((request) => request.url().endsWith(REGENERATE_CALL));
  await regenerate(staff, 'Tool of Eva');
  expect((await sent).postDataJSON()).toEqual({ email, productId: product.product_id });
  await takeToast(page, 'default', 'Success', 'New coupon generated: EVA-2 (assigned to admin)');
  await see(line(staff, 'Tool of Eva'), 'EVA-2');
  expect(await fixture.admin.listAssignedCodes(product)).toEqual([`EVA-1 ${email}`, `EVA-2 ${email}`]);
  const { access_token } = await signIn(fixture.portal, email);
  expect(await redeem(fixture.portal.url, product.product_id, access_token)).toBe('EVA-2');
});

test('R-UAC-08, R-LIFE-32: after a code was issued by key, its button keeps the focus, and the row shows the last day of the code', async () => {
  const product = await give('kay@learner.example', 'Tool of Kay');
  await fixture.admin.importFile(
    product,
    'kay.csv',
    'coupon_code,use_by',
    'KAY-1,2098-06-30',
    'KAY-2,2099-12-31',
  );
  const { page } = staff;
  await lookUp(staff, 'kay@learner.example');
  const button = (name: string) => line(staff, 'Tool of Kay').getByRole('button', { name });
  await button(GENERATE).focus();
  await page.keyboard.press('Enter');
  await see(line(staff, 'Tool of Kay'), 'KAY-1', 'Use by Jun 30, 2098');
  expect(await hasFocus(button(REGENERATE))).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: REGENERATE }).press('Enter');
  await see(line(staff, 'Tool of Kay'), 'KAY-2', 'Use by Dec 31, 2099');
  expect(await hasFocus(button('Wait 3 min'))).toBe(true);
});

test('R-UAC-14: a warning of the server follows as a second notification, destructive', async () => {
  const product = await give('may@learner.example', 'Tool of May', 'MAY-1');
  await fixture.admin.giveCode('may@learner.example', product);
  await lookUp(staff, 'may@learner.example');
  await regenerate(staff, 'Tool of May');
  const { page } = staff;
  await page
    .getByText(/^New coupon generated: \S+ \(assigned to admin\)$/)
    .first()
    .waitFor();
  await takeToast(
    page,
    'destructive',
    'Warning',
    'No available coupon was left; a new code was generated. The partner must accept it before it works.',
  );
});

test('R-UAC-15, R-ERR-09: an address that the portal does not know is reported with the server’s message', async () => {
  staff.allowComplaint(/404/);
  const { page } = staff;
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill('nobody@learner.example');
  await page.getByRole('button', { name: 'View Products' }).click();
  await takeToast(page, 'destructive', 'Error', 'User not found');
});

test.each(['', '   '])('R-VAL-24: "%s" is no address to look up, and nothing is sent', async (typed) => {
  const { page } = staff;
  let sent = 0;
  await page.route('**/api/admin/user-access/**', (route) => {
    sent += 1;
    return route.continue();
  });
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(typed);
  await page.getByRole('button', { name: 'View Products' }).click();
  await takeToast(page, 'destructive', 'Missing email', 'Please enter a user email address');
  expect(sent).toBe(0);
});

test('R-LOCK-01, R-LOCK-02, R-LOCK-03, R-LOCK-05, R-LOCK-06: a replaced code cannot be replaced again for three minutes, and the page says so; other products are not affected', async () => {
  const email = 'len@learner.example';
  const [locked, free] = [
    await give(email, 'Locked', 'LEN-1', 'LEN-2', 'LEN-3'),
    await give(email, 'Free', 'LEN-4', 'LEN-5'),
  ];
  for (const product of [locked, free]) await fixture.admin.giveCode(email, product);
  const person = await openPerson(fixture);
  const { page } = person;
  await page.clock.install();
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users');
  await lookUp(person, email);
  await page.clock.pauseAt(Date.now() + 1000);
  await regenerate(person, 'Locked');
  const press = async (words: string) =>
    // The button has aria-disabled but still responds to clicks. Playwright does not click such a button without
    // `force`.
    line(person, 'Locked').getByRole('button', { name: words }).click({ force: true });

  await seeToast(page, 'default', 'Success', 'New coupon generated: LEN-2 (assigned to admin)');
  // A timer tells the page that the call has ended.
  await page.clock.runFor(1);
  await press('Wait 3 min');
  const wait = (minutes: number) =>
    seeToast(page, 'destructive', 'Please wait', `You can regenerate this coupon in ${minutes} minute(s)`);
  await wait(3);
  await page.clock.runFor(60_001);
  await press('Wait 2 min');
  await wait(2);
  await page.clock.runFor(60_001);
  await press('Wait 1 min');
  await wait(1);
  await line(person, 'Free').getByRole('button', { name: REGENERATE }).waitFor();
  expect(await page.getByRole('alertdialog').count()).toBe(0);
  expect(person.countCalls(REGENERATE_CALL)).toBe(1);

  await page.clock.runFor(59_000);
  await line(person, 'Locked').getByRole('button', { name: 'Wait 1 min' }).waitFor();
  await page.clock.runFor(1000);
  await regenerate(person, 'Locked');
  await seeToast(page, 'default', 'Success', 'New coupon generated: LEN-3 (assigned to admin)');
});

test('R-LOCK-04: a reload ends the wait, and nothing of it was stored', async () => {
  const email = 'rae@learner.example';
  const product = await give(email, 'Tool of Rae', 'RAE-1', 'RAE-2');
  await fixture.admin.giveCode(email, product);
  const { page } = staff;
  await lookUp(staff, email);
  const stored = () => page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]);
  const before = await stored();
  await regenerate(staff, 'Tool of Rae');
  await line(staff, 'Tool of Rae').getByRole('button', { name: 'Wait 3 min' }).waitFor();
  expect(await stored()).toEqual(before);
  await page.reload();
  await lookUp(staff, email);
  await line(staff, 'Tool of Rae').getByRole('button', { name: REGENERATE }).waitFor();
});

test('R-LOCK-07, R-ERR-17: a failed regeneration is reported and may be tried again at once', async () => {
  const email = 'joe@learner.example';
  const product = await give(email, 'Tool of Joe', 'JOE-1', 'JOE-2');
  await fixture.admin.giveCode(email, product);
  const { page } = staff;
  staff.allowComplaint(/ERR_FAILED/);
  await lookUp(staff, email);
  await page.route(`**${REGENERATE_CALL}`, (route) => route.abort(), { times: 1 });
  await regenerate(staff, 'Tool of Joe');
  await takeToast(page, 'destructive', 'Error', 'Failed to regenerate coupon');
  await regenerate(staff, 'Tool of Joe');
  await takeToast(page, 'default', 'Success', 'New coupon generated: JOE-2 (assigned to admin)');
});
