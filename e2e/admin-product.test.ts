// Tests the admin page of one product: edit, conflict, pause, archive, and leaving with unsaved changes.
import { type Product, setProductStatus } from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const fixture = setFixture();
const staff = keepPerson(fixture, (person) =>
  arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/products'),
);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('alertdialog').getByRole('button', { name });
const field = (page: Page, label: string) => page.getByLabel(label);
const pathOf = ({ product_id }: Product) => `/admin/products/${product_id}`;

async function openProduct(page: Page, product: Product): Promise<void> {
  await page.goto(pathOf(product));
  await page.getByRole('heading', { level: 1, name: product.name }).waitFor();
  await see(page, 'Uploads of this product');
}

/** Opens the page of the product, and its form. */
async function openForm(page: Page, product: Product): Promise<void> {
  await openProduct(page, product);
  await button(page, 'Edit').click();
}

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: /^More for / }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

async function save(page: Page): Promise<void> {
  await button(page, 'Save Changes').click();
  await takeToast(page, 'default', 'Success', 'Product saved');
}

test('R-LIFE-30: a name in the list leads to the page of the product, and back', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Linked Tool' });
  await page.goto('/admin/products?q=linked');
  await page.getByRole('link', { name: 'Linked Tool' }).click();
  await page.getByRole('heading', { level: 1, name: 'Linked Tool' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(pathOf(product));
  expect(await page.title()).toMatch(/^Linked Tool · Admin/);
  await page.getByRole('main').getByRole('link', { name: 'Products' }).click();
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
});

test('R-LIFE-31: without uploads, the title of their card has space below it, as with a table', async () => {
  const { page } = staff;
  const gapBelowTitle = async (codes: string[]) => {
    const product = await offerProduct(fixture, {});
    if (codes.length > 0) await fixture.admin.importCodes(product, codes);
    await openProduct(page, product);
    const title = page.getByRole('heading', { name: 'Uploads of this product' });
    const card = page.getByRole('region', { name: 'Uploads of this product' });
    await card.getByRole('table').or(card.getByText('No codes were uploaded')).first().waitFor();
    return card.evaluate(
      (section, heading) => {
        const below = section.lastElementChild?.getBoundingClientRect().top ?? 0;
        return below - (heading?.getBoundingClientRect().bottom ?? 0);
      },
      await title.elementHandle(),
    );
  };
  const withTable = await gapBelowTitle(['GAP-1']);
  expect(withTable).toBeGreaterThan(12);
  expect(await gapBelowTitle([])).toBe(withTable);
});

test('R-LIFE-31: an edit is saved, and the state card words the days', async () => {
  const { page } = staff;
  const product = await offerProduct(fixture, {});
  await fixture.admin.importCodes(product, ['UP-1', 'UP-2', 'UP-3']);
  await openForm(page, product);
  await see(page, 'People with access can redeem.');
  await page
    .getByRole('table', { name: 'Uploads of this product' })
    .getByText('3', { exact: true })
    .waitFor();
  await field(page, 'Name').fill('Edited Tool');
  await field(page, 'Header Text').fill('Sign in first');
  await field(page, 'Redeeming closes').fill('2990-02-28');
  await see(page, 'Unsaved changes');
  await save(page);
  await see(page, 'People with access can redeem until Feb 28, 2990.');
  await page.getByRole('heading', { level: 1, name: 'Edited Tool' }).waitFor();
  expect(await page.getByText('Unsaved changes').count()).toBe(0);
  await field(page, 'Redeeming opens').fill('2990-01-01');
  await save(page);
  await see(page, 'Redeeming opens on Jan 1, 2990. Until then people see the product and the day.');
  await page.reload();
  await see(page, 'Scheduled');
  expect(await field(page, 'Header Text').inputValue()).toBe('Sign in first');
  expect(await field(page, 'Redeeming opens').inputValue()).toBe('2990-01-01');
  expect(await page.getByLabel('Shared Coupon').isDisabled()).toBe(true);
});

test('R-LIFE-10, N-59: a wrong order of days, an incomplete day and a default in the past are named at their field', async () => {
  const { page } = staff;
  staff.allowComplaint(/400/);
  await openForm(page, await offerProduct(fixture, {}));
  await field(page, 'Redeeming opens').fill('2990-03-01');
  await field(page, 'Redeeming closes').fill('2990-02-28');
  await button(page, 'Save Changes').click();
  await page
    .getByRole('main')
    .getByText('Enter a complete day, not before the day on which redeeming opens')
    .waitFor();
  expect(await hasFocus(field(page, 'Redeeming closes'))).toBe(true);
  await field(page, 'Redeeming closes').fill('');
  await field(page, 'Redeeming closes').press('1');
  await button(page, 'Save Changes').click();
  await page.getByRole('main').getByText('Enter a complete day, not before').waitFor();
  await field(page, 'Redeeming closes').fill('2990-12-31');
  await field(page, 'Default last day for codes').fill('2001-01-01');
  await button(page, 'Save Changes').click();
  await page.getByRole('main').getByText('Enter a complete day after today').waitFor();
  await field(page, 'Default last day for codes').fill('2990-12-31');
  await save(page);
});

test('R-LIFE-31, N-109: a conflict keeps what was typed, shows the other version, and saves after a choice', async () => {
  const { page } = staff;
  staff.allowComplaint(/409/);
  const product = await offerProduct(fixture, {});
  await openForm(page, product);
  const other = await staff.openTab();
  await openForm(other, product);
  await field(other, 'Description').fill('Their description');
  await field(other, 'Instructions').fill('Their instructions');
  await field(other, 'Redeeming closes').fill('2990-02-28');
  await save(other);
  await other.close();

  await field(page, 'Description').fill('My description');
  await field(page, 'Header Text').fill('My header');
  await button(page, 'Save Changes').click();
  await see(page, 'Somebody else changed this product meanwhile.', 'What you typed is still here.');
  expect(await hasFocus(button(page, 'Show their version'))).toBe(true);
  expect(await field(page, 'Description').inputValue()).toBe('My description');
  await see(page, 'People with access can redeem.');
  await page.keyboard.press('Enter');
  await see(page, 'Their description', 'Their instructions');
  await see(page, 'People with access can redeem until Feb 28, 2990.');
  await page.getByText('3 fields differ. Save Changes keeps what stands in the form.').waitFor();
  const useTheirs = (name: string) => button(page, `Use theirs: ${name}`);
  expect(await hasFocus(useTheirs('Description'))).toBe(true);
  await useTheirs('Instructions').click();
  expect(await hasFocus(field(page, 'Instructions'))).toBe(true);
  expect(await useTheirs('Instructions').count()).toBe(0);
  await page.getByText('2 fields differ.').waitFor();
  await useTheirs('Redeeming closes').click();
  await page.getByText('1 field differs.').waitFor();
  await save(page);
  expect(await page.getByText('Somebody else changed').count()).toBe(0);
  await page.reload();
  await see(page, 'Uploads of this product');
  expect(await field(page, 'Description').inputValue()).toBe('My description');
  expect(await field(page, 'Instructions').inputValue()).toBe('Their instructions');
  expect(await field(page, 'Header Text').inputValue()).toBe('My header');
});

test('R-LIFE-11, R-LIFE-31, HOLD: pause and archive ask first, and a learner with a code sees it all the time', async () => {
  const { page } = staff;
  const email = 'holds@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['HOLD-1'] });
  await fixture.admin.giveCode(email, product);
  const learner = await openPerson(fixture);
  const seeCode = async () => {
    await learner.page.goto(`/product/${product.product_id}`);
    await see(learner.page, 'HOLD-1');
  };
  await arriveSignedIn(learner, fixture, email);
  await seeCode();

  await openProduct(page, product);
  await button(page, 'Pause').click();
  await see(page, `Pause ${product.name}?`);
  await see(page, /People without a code see ‘Paused’ and cannot redeem. 1 person holds a code/);
  expect(await hasFocus(inDialog(page, 'Cancel'))).toBe(true);
  await page.getByRole('alertdialog').getByLabel('Note').fill('Partner moves\nits servers');
  await inDialog(page, 'Pause').click();
  await see(page, /^Paused on .+ by .+\. Nobody is given a new code\.$/, 'Partner moves its servers');
  await expect.poll(() => hasFocus(page.getByRole('heading', { level: 2, name: 'Paused' }))).toBe(true);
  await takeToast(page, 'default', 'Success', 'Product paused');
  await seeCode();

  await button(page, 'Resume').click();
  await takeToast(page, 'default', 'Success', 'Product resumed');
  await choose(page, 'Archive');
  await see(page, /its link says ‘This offer has ended’. 1 person holds a code and keeps seeing it./);
  await inDialog(page, 'Archive').click();
  await takeToast(page, 'default', 'Success', 'Product archived');
  await button(page, 'Edit').click();
  await see(page, '1 person who holds a code still sees these texts.');
  await seeCode();

  await page.getByRole('main').getByRole('link', { name: 'Products' }).click();
  await button(page, 'Archived')
    .or(page.getByRole('button', { name: /^Archived \d/ }))
    .click();
  const row = page.getByRole('row').filter({ has: page.locator(`a[href="${pathOf(product)}"]`) });
  await row.getByText('Archived', { exact: true }).waitFor();
  await row.getByRole('link').click();
  await button(page, 'Bring back').click();
  await takeToast(page, 'default', 'Success', 'Product brought back');
  await see(page, 'People with access can redeem.');
});

test('R-LIFE-31: leaving with unsaved changes asks, by a link and by Back, and Stay keeps what was typed', async () => {
  const { page } = staff;
  const product = await offerProduct(fixture, {});
  await page.goto('/admin/products');
  await page.locator(`a[href="${pathOf(product)}"]`).click();
  await see(page, 'Uploads of this product');
  await button(page, 'Edit').click();
  await field(page, 'Header Text').pressSequentially('Half a th');
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Users' }).click();
  await see(page, 'Leave without saving?');
  expect(await hasFocus(inDialog(page, 'Stay'))).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await page.evaluate(() => history.back());
  await see(page, 'Leave without saving?');
  await inDialog(page, 'Stay').click();
  expect(await field(page, 'Header Text').inputValue()).toBe('Half a th');
  await page.getByRole('main').getByRole('link', { name: 'Open product page' }).click();
  await inDialog(page, 'Leave').click();
  await page.waitForURL(`**/product/${product.product_id}`);
  await page.goBack();
  await see(page, 'Uploads of this product');
  expect(await field(page, 'Header Text').inputValue()).toBe('');
});

test('R-LIFE-31, R-DAY-35: state and numbers come first; one press opens the form, a reload keeps it, closing keeps what was typed', async () => {
  const { page } = staff;
  const product = await offerProduct(fixture, {});
  await openProduct(page, product);
  const addCodes = page.getByRole('main').getByRole('link', { name: 'Add codes' });
  expect(await addCodes.getAttribute('href')).toBe(
    `/admin/coupons?open=upload&product=${product.product_id}`,
  );
  const state = await page.getByRole('region', { name: 'State' }).boundingBox();
  const texts = await page.getByRole('region', { name: 'Product', exact: true }).boundingBox();
  expect(state?.y).toBeLessThan(texts?.y ?? 0);
  expect(await field(page, 'Header Text').count()).toBe(0);
  await button(page, 'Edit').click();
  await expect.poll(() => hasFocus(field(page, 'Name'))).toBe(true);
  expect(new URL(page.url()).search).toBe('?open=edit');
  await page.reload();
  await field(page, 'Header Text').fill('Half a thought');
  await button(page, 'Close').click();
  await see(page, 'Unsaved changes', product.description);
  expect(await field(page, 'Header Text').isVisible()).toBe(false);
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Users' }).click();
  await inDialog(page, 'Stay').click();
  await button(page, 'Edit').click();
  expect(await field(page, 'Header Text').inputValue()).toBe('Half a thought');
  await save(page);
  await button(page, 'Close').click();
  await see(page, 'Half a thought');
});

test('R-LIFE-31: a press on Resume or Archive of a page that is out of date changes nothing, and shows the new state', async () => {
  const { page } = staff;
  staff.allowComplaint(/409/);
  const product = await offerProduct(fixture, {});
  const set = (status: 'live' | 'paused' | 'archived') =>
    fixture.admin.call(setProductStatus, {
      params: { id: product.product_id },
      body: { status, note: null },
    });
  await set('paused');
  await openProduct(page, product);
  await set('archived');
  await button(page, 'Resume').click();
  await takeToast(page, 'destructive', 'Error', 'Somebody else changed this product meanwhile.');
  await button(page, 'Bring back').waitFor();
  expect(await page.getByRole('main').getByRole('link', { name: 'Add codes' }).count()).toBe(0);

  await set('live');
  await page.reload();
  await button(page, 'Pause').waitFor();
  await set('archived');
  await choose(page, 'Archive');
  await button(page, 'Bring back').waitFor();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
});

test('R-LIFE-31: Logout with unsaved changes asks too', async () => {
  const product = await offerProduct(fixture, {});
  const person = await openPerson(fixture);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, pathOf(product));
  await see(page, 'Uploads of this product');
  await button(page, 'Edit').click();
  await field(page, 'Header Text').fill('Half a thought');
  await button(page, 'Logout').click();
  await see(page, 'Leave without saving?');
  await inDialog(page, 'Stay').click();
  expect(await field(page, 'Header Text').inputValue()).toBe('Half a thought');
  expect(await hasFocus(button(page, 'Logout'))).toBe(true);
  await page.keyboard.press('Enter');
  await inDialog(page, 'Leave').click();
  await page.waitForURL('**/admin-login');
});

test('R-LIFE-31: after a refused pause the dialog stays with the note', async () => {
  const { page } = staff;
  staff.allowComplaint(/409/);
  const product = await offerProduct(fixture, {});
  await openProduct(page, product);
  await button(page, 'Pause').click();
  await page.getByRole('alertdialog').getByLabel('Note').fill('Partner moves its servers');
  await fixture.admin.call(setProductStatus, {
    params: { id: product.product_id },
    body: { status: 'archived', note: null },
  });
  await inDialog(page, 'Pause').click();
  await takeToast(page, 'destructive', 'Error', 'An archived product cannot be paused. Bring it back first.');
  expect(await page.getByRole('alertdialog').getByLabel('Note').inputValue()).toBe(
    'Partner moves its servers',
  );
  await inDialog(page, 'Cancel').click();
  await button(page, 'Bring back').waitFor();
});

test('R-LIFE-31: the question before a pause disappears if somebody else has paused the product', async () => {
  const { page } = staff;
  const product = await offerProduct(fixture, {});
  await openProduct(page, product);
  await fixture.admin.call(setProductStatus, {
    params: { id: product.product_id },
    body: { status: 'paused', note: 'Theirs' },
  });
  await button(page, 'Pause').click();
  await see(page, 'Theirs');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
});

test('R-LIFE-31, C-12: an address of no product says so', async () => {
  const { page } = staff;
  staff.allowComplaint(/404/);
  await page.goto('/admin/products/nope');
  await see(page, 'No product has this address.');
  await page.getByRole('main').getByRole('link', { name: 'Products' }).click();
  await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
});
