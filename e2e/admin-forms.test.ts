// Tests the forms and lists of the admin pages: validation, requests, notifications and how lists show rows.
import { expect, test } from 'vitest';
import { choose, chooseInMenu, openAdminPage, openCard } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const MISSING = ['Missing required fields', 'Please fill in all required fields'];
const SAVED_USER = 'User created/updated successfully';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const box = (name: string) => staff.page.getByRole('textbox', { name, exact: true });
const press = (name: string) => staff.page.getByRole('button', { name, exact: true }).click();

/** Returns the cell texts of the table row that contains these words. */
function cells(words: string): Promise<string[]> {
  return staff.page.getByRole('row').filter({ hasText: words }).locator('th, td').allTextContents();
}

function heads(): Promise<string[]> {
  return staff.page.getByRole('columnheader').allInnerTexts();
}

/** Clicks the button and returns the JSON body of the request to `path`. */
async function sendBy(button: string, path: string): Promise<unknown> {
  const sent = staff.page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith(path),
  );
  await press(button);
  return (await sent).postDataJSON();
}

test('R-APROD-08, R-APROD-13, R-ACPN-22, R-ACPN-28, R-AUSER-09, R-AUSER-14: empty lists say how to create the first row', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await see(page, 'Existing Products', 'No products found. Create your first product above.');
  await openAdminPage(page, 'Coupons');
  await see(page, 'Existing Coupons', 'No coupons found. Create your first coupon above.');
  // Fakes an empty list. The real list is never empty, because it contains the administrator who opens it.
  await page.route('**/api/users?**', (route) => route.fulfill({ json: [] }));
  await page.goto('/admin/users');
  await see(page, 'Existing Users', 'No users found. Create your first user above.');
  await page.unrouteAll();
  await page.goto('/admin');
});

test('R-GEN-13, R-DASH-01, R-DASH-02, R-DASH-03, R-ANAV-01, R-ANAV-02, R-ACPN-01, R-ACPN-02, R-ACPN-03: the dashboard has three cards, and every admin page has the same navigation to all others and to the website', async () => {
  const { page } = staff;
  // Leaves out the navigation, and the steps of the card 'Set up your portal'.
  const cards = page.getByRole('main').locator('a:not(nav a, ol a)');
  await cards.first().waitFor();
  const nav = page.getByRole('navigation', { name: 'Admin' });
  const ways = [
    ['Dashboard', '/admin'],
    ['Products', '/admin/products'],
    ['Users', '/admin/users'],
    ['Coupons', '/admin/coupons'],
    ['Back to Website', '/'],
  ] as const;
  const hrefs = (links: typeof cards) =>
    links.evaluateAll((all) => all.map((link) => [link.textContent, link.getAttribute('href')]));
  expect(await hrefs(cards)).toEqual(
    ways.slice(1, 4).map(([name, href]) => [expect.stringMatching(`^${name}`), href]),
  );
  for (const [name, href] of ways.slice(0, 4)) {
    await nav.getByRole('link', { name, exact: true }).click();
    await page.waitForURL((url) => url.pathname === href);
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await see(nav, 'Admin');
    expect(await hrefs(nav.getByRole('link'))).toEqual(ways);
  }
  await nav.getByRole('link', { name: 'Back to Website' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await page.goto('/admin');
  for (const [name, href] of ways.slice(1, 4)) {
    await page.getByRole('main').getByRole('link', { name }).click();
    await page.waitForURL((url) => url.pathname === href);
    await page.goBack();
  }
});

test('the accessible name of an optional field has a space before the word: Phone optional', async () => {
  await openAdminPage(staff.page, 'Users');
  await openCard(staff.page, 'Add New User');
  await box('Phone optional').waitFor();
});

test.each(['Name', 'URL', 'Description'])('R-VAL-10: a product without its %s is not sent', async (name) => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await openCard(page, 'Add New Product');
  for (const field of ['Name', 'URL', 'Description'])
    await box(field).fill(field === name ? ' ' : 'x.example');
  await press('Save Product');
  expect(await box(name).evaluate((field) => field === document.activeElement)).toBe(true);
  await takeToast(page, 'destructive', ...MISSING);
  expect(staff.countCalls('/api/products', 'POST')).toBe(0);
});

test('R-APROD-01, R-APROD-02, R-APROD-03, R-APROD-04, R-APROD-09, R-APROD-10, R-APROD-11, R-APROD-12, R-CACHE-10: a product is created, confirmed, and listed with its long texts shortened', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Products');
  await openCard(page, 'Add New Product');
  const [name, url, description] = ['n'.repeat(31), `u.example/${'u'.repeat(41)}`, 'd'.repeat(61)];
  await box('Name').fill(name);
  await box('URL').fill(url);
  await box('Description').fill(description);
  await page.getByRole('textbox', { name: 'Page Title' }).fill('Title');
  await page.getByRole('textbox', { name: 'Header Text' }).fill('Head');
  await page.getByRole('textbox', { name: 'Instructions' }).fill('One\nTwo');
  await page.getByRole('checkbox', { name: 'Shared Coupon' }).check();
  expect(await sendBy('Save Product', '/api/products')).toEqual({
    name,
    url,
    description,
    page_title: 'Title',
    header_text: 'Head',
    instructions: 'One\nTwo',
    shared_coupon: true,
    id: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  await takeToast(page, 'default', 'Success', 'Product created successfully');
  await see(page, `${'n'.repeat(30)}…`);
  expect(await heads()).toEqual([
    ...['Name', 'URL', 'Description', 'Shared Coupon', 'Codes left', 'Held', 'Last 30 days', 'Status'],
  ]);
  expect(await cells('nnn')).toEqual([
    `${'n'.repeat(30)}…`,
    `u.example/${'u'.repeat(40)}…`,
    `${'d'.repeat(60)}…`,
    ...['Yes', 'Shared', '0', '0', 'Live'],
  ]);
});

test('R-VAL-11, R-APROD-09, R-APROD-10, R-APROD-11, R-APROD-12: optional fields may be left empty, and texts that fit the columns are not shortened', async () => {
  const { page } = staff;
  const shown = ['m'.repeat(30), `v.example/${'v'.repeat(40)}`, 'e'.repeat(60)] as const;
  await box('Name').fill(shown[0]);
  await box('URL').fill(shown[1]);
  await box('Description').fill(shown[2]);
  expect(await sendBy('Save Product', '/api/products')).toMatchObject({
    page_title: null,
    header_text: null,
    instructions: null,
    shared_coupon: false,
  });
  await takeToast(page, 'default', 'Success', 'Product created successfully');
  await see(page, shown[0]);
  expect(await cells('mmm')).toEqual([...shown, 'No', 'Add codesNone left0', '0', '0', 'Live']);
});

test.each(['Email', 'Name', 'Products'])('R-VAL-16: a user without %s is not sent', async (missing) => {
  const { page } = staff;
  await page.goto('/admin/users?open=add');
  await box('Email').fill(missing === 'Email' ? ' ' : 'vic@form.example');
  await box('Name').fill(missing === 'Name' ? ' ' : 'Vic');
  if (missing !== 'Products') await chooseInMenu(page, /^Products(?! for)/, 'm'.repeat(30));
  await press('Save User');
  await takeToast(page, 'destructive', ...MISSING);
  expect(staff.countCalls('/api/admin/users/single')).toBe(0);
});

test('R-AUSER-01, R-AUSER-02, R-AUSER-03, R-AUSER-04, R-AUSER-10, R-AUSER-11, R-AUSER-12, R-AUSER-13, R-VAL-18, R-CACHE-10: a user is created with products, confirmed, and listed with long texts shortened', async () => {
  const { page } = staff;
  const products = await fixture.admin.listProducts();
  await openAdminPage(page, 'Users');
  await openCard(page, 'Add New User');
  const email = `${'e'.repeat(30)}@form.example`;
  await box('Email').fill(email);
  await box('Name').fill('N'.repeat(26));
  await page.getByRole('textbox', { name: 'Phone' }).fill('1'.repeat(21));
  for (const { name } of products) await chooseInMenu(page, /^Products(?! for)/, name);
  const { product_ids, ...sent } = (await sendBy('Save User', '/api/admin/users/single')) as {
    product_ids: string[];
  };
  expect(sent).toEqual({ email, name: 'N'.repeat(26), phone_number: '1'.repeat(21), user_role: 'user' });
  expect(product_ids.toSorted()).toEqual(products.map(({ product_id }) => product_id).toSorted());
  await takeToast(page, 'default', 'Success', SAVED_USER);
  await see(page, `${email.slice(0, 40)}…`);
  expect(await heads()).toEqual([
    'Selection',
    'Email',
    'Name',
    'Phone',
    'Role',
    'Last sign-in',
    'Created',
    'Codes held',
  ]);
  expect((await cells(email.slice(0, 40))).slice(0, 5)).toEqual([
    '',
    `${email.slice(0, 40)}…`,
    `${'N'.repeat(25)}…`,
    `${'1'.repeat(20)}…`,
    'user',
  ]);
});

test('a list of choices stays open for clicks inside it and closes for clicks outside', async () => {
  const { page } = staff;
  await fixture.admin.addProduct();
  await page.goto('/admin/users?open=add');
  const opener = page.getByRole('button', { name: /^Products(?! for)/ });
  const menu = page.locator('#user-products-menu');
  await opener.click();
  const [option, choice] = [menu.locator('label').first(), menu.getByRole('checkbox').first()];
  // A click inside the menu must not close the menu, even if the click focuses no control. In Firefox a click on a
  // label focuses no control. In Safari a click on a checkbox focuses no control. A click on the menu's edge focuses no
  // control in any browser.
  await menu.click({ position: { x: 3, y: 3 } });
  await option.locator('bdi').click();
  expect(await choice.isChecked()).toBe(true);
  await choice.click();
  expect(await choice.isChecked()).toBe(false);
  await opener.click();
  await menu.waitFor({ state: 'detached' });
  await opener.click();
  await page.getByRole('heading', { level: 1 }).click();
  await menu.waitFor({ state: 'detached' });
});

test('R-VAL-17, R-AUSER-10, R-AUSER-11, R-AUSER-12: an empty phone is sent as null and shown as N/A, and texts that fit the columns are not shortened', async () => {
  const { page } = staff;
  const email = `${'f'.repeat(27)}@form.example`;
  expect(email).toHaveLength(40);
  await box('Email').fill(email);
  await box('Name').fill('M'.repeat(25));
  await chooseInMenu(page, /^Products(?! for)/, 'm'.repeat(30));
  expect(await sendBy('Save User', '/api/admin/users/single')).toMatchObject({ phone_number: null });
  await takeToast(page, 'default', 'Success', SAVED_USER);
  await see(page, email);
  expect((await cells(email)).slice(0, 5)).toEqual(['', email, 'M'.repeat(25), 'N/A', 'user']);
});

test('R-AUSER-15: saving an existing address changes that user and adds none', async () => {
  const { page } = staff;
  const email = `${'f'.repeat(27)}@form.example`;
  await box('Email').fill(email);
  await box('Name').fill('Renamed');
  await page.getByRole('textbox', { name: 'Phone' }).fill('2'.repeat(20));
  await chooseInMenu(page, /^Products(?! for)/, 'm'.repeat(30));
  await press('Save User');
  await takeToast(page, 'default', 'Success', SAVED_USER);
  await see(page, 'Renamed');
  expect((await cells(email)).slice(0, 5)).toEqual(['', email, 'Renamed', '2'.repeat(20), 'user']);
});

test('R-AUSER-11, R-AUSER-13: a user without a name is listed with the start of the user id', async () => {
  const { page } = staff;
  await page.goto('/admin/users');
  const users = await fixture.admin.listUsers();
  const id = users.find(({ email }) => email === ADMIN_EMAIL)?.user_id ?? '';
  await see(page.getByRole('table'), ADMIN_EMAIL);
  const shown = ['', ADMIN_EMAIL, `${id.slice(0, 25)}…`, 'N/A', 'admin'];
  expect((await cells(ADMIN_EMAIL)).slice(0, 5)).toEqual(shown);
});

test.each([
  ['Words of the server.', 'Words of the server.'],
  ['', SAVED_USER],
])('R-AUSER-04: when the server says "%s" of a saved user, "%s" is shown', async (message, description) => {
  const { page } = staff;
  await page.route('**/api/admin/users/single', (route) => route.fulfill({ json: { message } }));
  await openCard(page, 'Add New User');
  await box('Email').fill('said@form.example');
  await box('Name').fill('Said');
  await chooseInMenu(page, /^Products(?! for)/, 'm'.repeat(30));
  await press('Save User');
  await takeToast(page, 'default', 'Success', description);
});

test('R-ACPN-27: the list says that coupons are loading', async () => {
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin');
  const letThrough = await holdCalls(person.page, /\/api\/coupons\?/);
  await openAdminPage(person.page, 'Coupons');
  await see(person.page, 'Loading coupons...');
  letThrough();
  await person.page.getByText('Loading coupons...').waitFor({ state: 'detached' });
});

test('R-VAL-25, R-VAL-26, R-ACPN-07: a coupon without a product or without a code is not sent', async () => {
  const { page } = staff;
  await openAdminPage(page, 'Coupons');
  await openCard(page, 'Add New Coupon');
  const product = page.getByRole('combobox', { name: 'Product', exact: true });
  expect(await product.getByRole('option').first().textContent()).toBe('Select a product');
  for (const field of [product, box('Coupon Code')])
    expect(await field.getAttribute('required')).not.toBe(null);
  await box('Coupon Code').fill('NO-PRODUCT');
  await press('Save Coupon');
  await takeToast(page, 'destructive', 'Missing required fields', 'Please select a product');
  await box('Coupon Code').fill(' ');
  await choose(product, 'm'.repeat(30));
  await press('Save Coupon');
  await takeToast(page, 'destructive', ...MISSING);
  expect(staff.countCalls('/api/admin/coupons/single')).toBe(0);
});

test('R-ACPN-04, R-ACPN-05, R-ACPN-06, R-ACPN-08, R-ACPN-09, R-ACPN-10, R-ACPN-24, R-ACPN-25, R-ACPN-26, R-CACHE-10: a coupon is saved, confirmed, and listed as available under its product', async () => {
  const { page } = staff;
  await see(page, 'Add New Coupon', 'Enter a unique coupon code');
  expect(await box('Coupon Code').getAttribute('placeholder')).toMatch(/^[A-Z0-9-]{6,}$/);
  const product = (await fixture.admin.listProducts()).find(({ name }) => name.startsWith('nnn'));
  await box('Coupon Code').fill('FORM-1');
  await page.getByRole('combobox', { name: 'Product', exact: true }).selectOption(product?.product_id ?? '');
  const letThrough = await holdCalls(page, '**/api/admin/coupons/single');
  expect(await sendBy('Save Coupon', '/api/admin/coupons/single')).toEqual({
    coupon_code: 'FORM-1',
    product_id: product?.product_id,
  });
  await page.getByRole('button', { name: 'Saving...' }).waitFor();
  letThrough();
  await takeToast(page, 'default', 'Success', 'Coupon created successfully');
  await see(page, 'FORM-1');
  expect(await cells('FORM-1')).toEqual(['FORM-1', `${'n'.repeat(30)}…`, '-', 'Available', '', '']);
});

test('R-ACPN-14, R-ACPN-15, R-ACPN-16, R-ACPN-18, R-ACPN-23, R-ACPN-24, R-ACPN-25, R-ACPN-26: coupons are listed with product, owner and status, and the notes describe the format of a file', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'p'.repeat(30) });
  const email = `${'g'.repeat(28)}@form.example`;
  await fixture.admin.addCodes(product, 'HELD-1', 'HELD-2');
  await fixture.admin.addLearner(email, product);
  await fixture.admin.giveCode(email, product);
  await page.reload();
  await see(page, 'HELD-1');
  expect(await heads()).toEqual(['Coupon Code', 'Product', 'User Email', 'Status', 'Use by', 'Assigned']);
  expect(await cells('HELD-1')).toEqual([
    ...['HELD-1', 'p'.repeat(30), `${email.slice(0, 40)}…`, 'Assigned', ''],
    expect.stringMatching(/^\w+ \d+, \d{4}$/),
  ]);
  expect(await cells('HELD-2')).toEqual(['HELD-2', 'p'.repeat(30), '-', 'Available', '', '']);
  await openCard(page, 'Bulk Upload Coupons');
  const notes = page.getByRole('main').getByRole('listitem');
  await notes.filter({ hasText: 'The CSV holds only coupon_code.' }).waitFor();
  await notes.filter({ hasText: 'Choose the product here; it applies to every code in the file.' }).waitFor();
  await notes.filter({ hasText: 'Codes are auto-generated if left blank.' }).waitFor();
  await page.getByRole('combobox', { name: 'Select Product for Bulk Upload*' }).waitFor();
});

test('Enter in the search field of a list of choices does not submit the form', async () => {
  const { page } = staff;
  // From nine products on, the menu of products has a search field.
  for (let i = 0; i < 9; i += 1) await fixture.admin.addProduct({ name: `Choice ${i}` });
  await page.goto('/admin/users?open=add');
  await page.getByRole('button', { name: /^Products(?! for)/ }).click();
  await page.getByRole('searchbox', { name: 'Find in Products' }).fill('Choice 7');
  await page.keyboard.press('Enter');
  await page.getByRole('checkbox', { name: 'Choice 7' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  // Checks that Enter and Space did not submit the form: a submitted form would show errors for the missing fields.
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Products\W* Choice 7$/ }).waitFor();
});

test('A-88: a known address needs no name, also when the form is submitted before the address field loses the focus', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'By Enter' });
  const email = 'enter@form.example';
  await fixture.admin.addLearner(email, product);
  await page.goto('/admin/users?open=add');
  await chooseInMenu(page, /^Products(?! for)/, 'By Enter');
  await box('Email').fill(email);
  const sent = page.waitForRequest((request) => request.url().endsWith('/api/admin/users/single'));
  await box('Email').press('Enter');
  expect((await sent).postDataJSON()).toMatchObject({ email, name: null });
  await takeToast(page, 'default', 'Success', SAVED_USER);
});

test('A-88: a known address is pointed out before saving, needs no name, and keeps its name and phone if these fields are empty', async () => {
  const { page } = staff;
  const product = await fixture.admin.addProduct({ name: 'Added later' });
  const email = 'known@form.example';
  await fixture.admin.addLearner(email, product);
  await page.goto('/admin/users?open=add');
  await box('Email').fill(email);
  await page.keyboard.press('Tab');
  await see(page, 'This person exists: Lea Lerner. Saving adds the products.');
  await see(page, /A name or phone number that you type replaces the old one; one left empty stays\.$/);
  expect(await page.getByRole('textbox', { name: /^Name/ }).getAttribute('required')).toBeNull();
  await box('Email').fill(`x${email}`);
  expect(await page.getByText(/^This person exists/).count()).toBe(0);
  await box('Email').fill(email);
  await chooseInMenu(page, /^Products(?! for)/, 'Added later');
  await see(page, /^This person exists/);
  expect(await sendBy('Save User', '/api/admin/users/single')).toMatchObject({ email, name: null });
  await takeToast(page, 'default', 'Success', SAVED_USER);
  await see(page.getByRole('table'), email);
  expect((await cells(email)).slice(0, 5)).toEqual(['', email, 'Lea Lerner', 'N/A', 'user']);
  expect(await page.getByText(/^This person exists/).count()).toBe(0);
});
