// Tests the pages about uploads of codes, and the states of codes in the list of coupons.
import { type BatchActState, type BatchRecord, setBatchUseBy, setProductStatus } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, csv, fileInput, openAdminPage } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, openPerson, see, takeToast } from './harness/browser.ts';
import { setFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const MISTAKE = 'The upload was a mistake. The codes may be uploaded again.';
const DEAD = 'These codes must not be used any more.';
const LAST_DAY = '2099-06-30';
/** The text that the page shows for `LAST_DAY`. */
const LAST_DAY_WORDS = 'Jun 30, 2099';

const fixture = setFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name });
const link = (within: Page | Locator, name: string) => within.getByRole('link', { name, exact: true });
const dialog = () => staff.page.getByRole('alertdialog');

/** Returns the numbers of available, assigned, revoked and void codes that the upload's page shows, by their labels. */
async function readFigures(): Promise<Record<string, string>> {
  const cells = staff.page.getByRole('main').locator('dl').first().locator('div');
  const pairs = await cells.evaluateAll((divs) =>
    divs.map((div) => [div.querySelector('dt')?.textContent, div.querySelector('dd')?.textContent]),
  );
  return Object.fromEntries(pairs);
}

/**
 * Creates a product with an upload of `count` free codes, and opens the page of this upload. Returns the product and
 * the upload's id.
 */
async function openUpload(name: string, count: number) {
  const product = await fixture.admin.addProduct({ name });
  const codes = Array.from({ length: count }, (_code, index) => `${name}-${index}`);
  const id = await fixture.admin.importFile(product, `${name}.csv`, 'coupon_code', ...codes);
  const open = () => staff.page.goto(`/admin/coupons/uploads/${id}`);
  await open();
  await see(staff.page, `${name}.csv`, 'About this upload');
  return { product, id, codes, open };
}

test('R-LIFE-34, R-DAY-20: the list of coupons shows and counts the five states, and the last day of each code', async () => {
  const product = await fixture.admin.addProduct({ name: 'Four States' });
  await fixture.admin.addLearner('states@learner.example', product);
  await fixture.admin.addCodes(product, 'FS-REVOKED');
  await fixture.admin.giveCode('states@learner.example', product);
  await fixture.admin.undo(product, 'FS-REVOKED');
  await fixture.admin.addCodes(product, 'FS-VOID');
  await fixture.admin.undo(product, 'FS-VOID');
  await fixture.admin.addCodes(product, 'FS-FREE');
  const { page } = staff;
  await page.goto('/admin/coupons');
  await choose(page.getByLabel('Only codes of'), 'Four States');
  await see(page, '1–3 of 3');
  const row = (code: string) => page.getByRole('row').filter({ hasText: code });
  await see(row('FS-REVOKED'), 'states@learner.example', 'Revoked');
  await see(row('FS-VOID'), 'Void');
  await see(row('FS-FREE'), 'Available');

  const segments = page.getByRole('group', { name: 'Status' }).getByRole('button');
  const labels = ['All 3', 'Available 1', 'Assigned 0', 'Revoked 1', 'Void 1', 'Expired 0'];
  expect(await segments.allTextContents()).toEqual(labels);
  await button(page, /^Revoked/).click();
  await see(page, '1–1 of 1', 'FS-REVOKED');
  await button(page, /^Void/).click();
  await see(page, '1–1 of 1', 'FS-VOID');
  await button(page, /^Assigned \d/).click();
  await see(page, 'No codes match.');

  await fixture.admin.importFile(
    product,
    'dated.csv',
    'coupon_code,use_by',
    `FS-DATED,${LAST_DAY}`,
    'FS-OPEN,',
  );
  await page.goto(`/admin/coupons?status=available&product_id=${product.product_id}`);
  await see(row('FS-DATED'), LAST_DAY_WORDS);
  const cells = await row('FS-FREE').getByRole('cell').allTextContents();
  expect(cells).toEqual(['Four States', '-', 'Available', '', '']);
});

test('R-DAY-20: dashboard, tabs, list, product and upload show the same numbers, without an archived product', async () => {
  const { page } = staff;
  const archived = await fixture.admin.addProduct({ name: 'Past Numbers' });
  await fixture.admin.importCodes(archived, ['PN-1', 'PN-2', 'PN-3']);
  await fixture.admin.call(setProductStatus, {
    params: { id: archived.product_id },
    body: { status: 'archived', note: null },
  });
  const product = await fixture.admin.addProduct({ name: 'Same Numbers' });
  const id = await fixture.admin.importFile(product, 'same.csv', 'coupon_code', 'SN-1', 'SN-2', 'SN-3');
  await fixture.admin.call(setBatchUseBy, { params: { id }, body: { use_by: '2020-01-31', expected: 3 } });
  await fixture.admin.addCodes(product, 'SN-VOID', 'SN-HELD', 'SN-REVOKED', 'SN-FREE');
  await fixture.admin.undo(product, 'SN-VOID');
  for (const email of ['same-1@learner.example', 'same-2@learner.example']) {
    await fixture.admin.addLearner(email, product);
    await fixture.admin.giveCode(email, product);
  }
  await fixture.admin.undo(product, 'SN-REVOKED');

  await page.goto('/admin');
  const card = page.getByRole('main').getByRole('link', { name: /^Coupons/ });
  await see(card, /available/);
  const [, total, sub = ''] = await card.locator(':scope > span').allTextContents();
  const [available, assigned] = sub.match(/\d[\d,]*/g) ?? [];
  await card.click();
  await see(page, new RegExp(` of ${total}$`));
  const segments = page.getByRole('group', { name: 'Status' }).getByRole('button');
  const labels = (await segments.allTextContents()).map((label) => label.split(' '));
  const counts = Object.fromEntries(labels);
  expect(counts).toMatchObject({ All: total, Available: available, Assigned: assigned });
  const { All: all, ...states } = counts;
  const numberOf = (count: unknown) => Number(String(count).replaceAll(',', ''));
  expect(Object.values(states).reduce<number>((sum, count) => sum + numberOf(count), 0)).toBe(numberOf(all));

  await choose(page.getByLabel('Only codes of'), 'Same Numbers');
  await see(page, '1–7 of 7');
  const ofProduct = ['All 7', 'Available 1', 'Assigned 1', 'Revoked 1', 'Void 1', 'Expired 3'];
  expect(await segments.allTextContents()).toEqual(ofProduct);
  await button(page, /^Expired/).click();
  await see(page, '1–3 of 3', 'SN-3');
  const rows = page.getByRole('table', { name: 'Coupons' }).getByRole('row');
  expect(await rows.filter({ hasText: 'Expired' }).count()).toBe(3);

  await page.goto(`/admin/products/${product.product_id}`);
  await see(page, 'Hold a code');
  const expected = { 'Hold a code': '1', 'Codes left': '1', Revoked: '1', Void: '1', Expired: '3' };
  expect(await readFigures()).toEqual(expected);
  await page.goto(`/admin/coupons/uploads/${id}`);
  await see(page, 'About this upload');
  const ofUpload = { Available: '0', Assigned: '0', Revoked: '0', Void: '0', Expired: '3' };
  expect(await readFigures()).toEqual(ofUpload);
});

test('R-LIFE-20, N-111: the upload card names the column use_by in a fourth note', async () => {
  const { page } = staff;
  await page.goto('/admin/coupons?open=upload');
  await see(page, 'Select Product for Bulk Upload*');
  const notes = page.getByRole('region', { name: 'Bulk Upload Coupons' }).getByRole('listitem');
  expect((await notes.allTextContents())[3]).toBe(
    'Beside it the file may hold use_by, the last day a code works, such as 2026-12-31.',
  );
});

test('C-1, N-114: the sub-tabs Codes and Uploads are links that name the current page, and the navigation stays at Coupons', async () => {
  const { page } = staff;
  await page.goto('/admin');
  await openAdminPage(page, 'Coupons');
  const section = page.getByRole('navigation', { name: 'Section' });
  expect(await section.getByRole('link').allTextContents()).toEqual(['Codes', 'Uploads', 'Stock']);
  expect(await link(section, 'Codes').getAttribute('aria-current')).toBe('page');
  await link(section, 'Uploads').click();
  await page.waitForURL('**/admin/coupons/uploads');
  await page.getByRole('heading', { level: 2, name: 'Uploads' }).waitFor();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Coupons');
  await page.waitForFunction(() => document.title.startsWith('Uploads · Admin'));
  expect(await link(section, 'Uploads').getAttribute('aria-current')).toBe('page');
  expect(await link(section, 'Codes').getAttribute('aria-current')).toBeNull();
  const admin = page.getByRole('navigation', { name: 'Admin' });
  expect(await link(admin, 'Coupons').getAttribute('aria-current')).toBe('page');
});

test('R-LIFE-33, N-104, N-108: the list of uploads has file, product, result, uploader and day; a row opens the upload with its five figures', async () => {
  const { product, codes } = await openUpload('Opened', 4);
  await fixture.admin.addLearner('opened@learner.example', product);
  await fixture.admin.giveCode('opened@learner.example', product);
  await fixture.admin.undo(product, codes[3] ?? '');
  const { page } = staff;
  await page.goto('/admin/coupons/uploads');
  await choose(page.getByLabel('Only uploads of'), 'Opened');
  await see(page, '1–1 of 1');
  const row = page.getByRole('row').filter({ hasText: 'Opened.csv' });
  const cells = await row.getByRole('cell').allTextContents();
  expect(cells.slice(0, 3)).toEqual(['Opened', '4 added', ADMIN_EMAIL]);
  const today = new Date().toLocaleDateString('en-US', { day: 'numeric', month: 'short', year: 'numeric' });
  expect(cells[3]).toContain(today);
  await link(row, 'Opened.csv').click();
  await page.getByRole('heading', { level: 1, name: 'Opened.csv' }).waitFor();
  await see(page, '4 codes', 'The available codes have no last day.', 'Imported rows');
  expect(await readFigures()).toEqual({
    Available: '2',
    Assigned: '1',
    Revoked: '0',
    Void: '1',
    Expired: '0',
  });
  await page.getByRole('img', { name: '2 available, 1 assigned, 0 revoked, 1 void, 0 expired' }).waitFor();
  const facts = page.getByRole('region', { name: 'About this upload' });
  expect(await link(facts, 'Opened').getAttribute('href')).toBe(`/admin/products/${product.product_id}`);
  await see(facts, ADMIN_EMAIL);
  await link(page, 'Uploads').click();
  await page.getByRole('heading', { level: 2, name: 'Uploads' }).waitFor();
});

test('R-LIFE-33, R-LIFE-18, R-LIFE-21: voiding shows the number first and needs a reason; the result stays after a reload, and a new upload counts the codes as created', async () => {
  const { product, codes, open } = await openUpload('Mistaken', 3);
  await fixture.admin.addLearner('mistaken@learner.example', product);
  await fixture.admin.giveCode('mistaken@learner.example', product);
  const { page } = staff;
  await open();
  await button(page, 'Void unused codes').click();
  await see(dialog(), '2 codes of this upload are unused. 1 was handed out and stays.');
  expect(await hasFocus(button(dialog(), 'Cancel'))).toBe(true);
  const confirm = button(dialog(), 'Void 2 codes');
  expect(await confirm.isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  expect(await hasFocus(button(page, 'Void unused codes'))).toBe(true);

  await button(page, 'Void unused codes').press('Enter');
  await dialog().getByLabel(MISTAKE).check();
  await dialog().getByLabel('Note').fill('ab');
  await confirm.click();
  await see(dialog(), 'Enter at least 3 characters, or leave it empty');
  expect(await hasFocus(dialog().getByLabel('Note'))).toBe(true);
  await dialog().getByLabel('Note').fill('Wrong product');
  await confirm.click();
  await takeToast(page, 'default', 'Success', '2 codes voided, 0 were handed out meanwhile');
  await see(page, 'None left.', 'No code of this upload is unused.');
  expect(await readFigures()).toEqual({
    Available: '0',
    Assigned: '1',
    Revoked: '0',
    Void: '2',
    Expired: '0',
  });
  for (const name of ['Void unused codes', 'Set last day']) {
    expect(await button(page, name).getAttribute('aria-disabled')).toBe('true');
  }
  await page.reload();
  const result = page.getByRole('region', { name: 'Result' });
  await see(result, '2 codes voided, 0 were handed out meanwhile');
  await result.getByText(/^The upload was a mistake\. · /).waitFor();
  await see(result, new RegExp(`, ${ADMIN_EMAIL}. Upload the codes again and they count as new.$`));
  await button(result, 'Dismiss').click();
  await result.waitFor({ state: 'detached' });

  await page.goto('/admin/coupons?open=upload');
  await choose(page.getByLabel('Select Product for Bulk Upload*'), 'Mistaken');
  await fileInput(page).setInputFiles(csv('again.csv', 'coupon_code', ...codes));
  await takeToast(page, 'default', 'Import Complete', '2 created, 1 duplicates skipped, 0 failed');
  await link(page.getByRole('navigation', { name: 'Section' }), 'Uploads').click();
  await link(page, 'again.csv').waitFor();
});

test('C-6, R-LIFE-18: if more codes are unused than the dialog said, it stays open with the new number, the reason is kept and Cancel has the focus', async () => {
  const { id } = await openUpload('Grown', 5);
  const { page } = staff;
  staff.allowComplaint(/409/);
  // Changes the page's first response: it counts two free codes fewer. So the page shows an outdated number, as if two
  // codes had become free since.
  await page.route(
    `**/api/admin/batches/${id}`,
    async (route) => {
      const response = await route.fetch();
      const upload = (await response.json()) as BatchRecord;
      await route.fulfill({ response, json: { ...upload, free: upload.free - 2 } });
    },
    { times: 1 },
  );
  await page.reload();
  await see(page, '3');
  await button(page, 'Void unused codes').click();
  await dialog().getByLabel(DEAD).check();
  await button(dialog(), 'Void 3 codes').click();
  await see(
    dialog().getByRole('alert'),
    '5 are unused now, not 3: 2 became free again meanwhile. Please look again.',
  );
  await see(dialog(), '5 codes of this upload are unused. 0 were handed out and stay.');
  expect(await dialog().getByLabel(DEAD).isChecked()).toBe(true);
  expect(await hasFocus(button(dialog(), 'Cancel'))).toBe(true);
  await button(dialog(), 'Void 5 codes').click();
  await takeToast(page, 'default', 'Success', '5 codes voided, 0 were handed out meanwhile');
  await see(page.getByRole('region', { name: 'Result' }), /^These codes must not be used any more\. · /);
});

test('R-LIFE-33, C-7: a job shows its progress on the page, also after a reload, and its acts are off until it ends', async () => {
  const { codes } = await openUpload('Many', 12_000);
  const { page } = staff;
  await button(page, 'Void unused codes').click();
  await dialog().getByLabel(DEAD).check();
  await button(dialog(), 'Void 12,000 codes').click();
  await page.getByRole('progressbar', { name: 'Voiding 12,000 codes' }).waitFor();
  await see(page, 'Off while codes are being voided.', 'You can leave this page. It continues.');
  expect(await button(page, 'Set last day').getAttribute('aria-disabled')).toBe('true');
  await page.reload();
  await see(page.getByRole('region', { name: 'Result' }), '12,000 codes voided, 0 were handed out meanwhile');
  await expect.poll(readFigures).toMatchObject({ Available: '0', Void: '12,000' });
  expect(codes).toHaveLength(12_000);
});

test('R-LIFE-33, C-7: while a job runs, the figures follow it', async () => {
  const { product, id, codes } = await openUpload('Moving', 3);
  const { page } = staff;
  let done = 0;
  // In the faked responses, the job has done one code more at each poll.
  await page.route('**/api/admin/imports/moving', async (route) => {
    const code = codes[done];
    if (code) await fixture.admin.undo(product, code);
    done = Math.min(done + 1, codes.length);
    const json: BatchActState = {
      id: 'moving',
      kind: 'void',
      state: 'running',
      rows_total: 4,
      rows_done: done,
      results: null,
      reason: null,
      file_name: null,
      errors_count: 0,
      errors: [],
      void_reason: 'dead',
      created_at: '2026-11-20T09:00:00Z',
      created_by: ADMIN_EMAIL,
    };
    await route.fulfill({ json });
  });
  await page.goto(`/admin/coupons/uploads/${id}?job=moving`);
  await see(page, '3 of 4 codes', 'Off while codes are being voided.');
  await expect.poll(readFigures).toMatchObject({ Available: '0', Void: '3' });
  await page.getByRole('img', { name: '0 available, 0 assigned, 0 revoked, 3 void, 0 expired' }).waitFor();
  // Ends the polls, because the server does not know this job.
  await page.goto('/admin/coupons/uploads');
});

test('at 320 px in German the buttons of a dialog fill its rows and stay within it', async () => {
  const { id } = await openUpload('Wide', 1_200);
  const person = await openPerson(fixture, { locale: 'de-DE' });
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, `/admin/coupons/uploads/${id}`);
  await page.setViewportSize({ width: 320, height: 640 });
  for (const act of ['Letzten Tag setzen', 'Freie Codes ungültig machen']) {
    await button(page, act).click();
    const buttons = page.getByRole('alertdialog').getByRole('button');
    const room = await buttons.first().evaluate(({ parentElement: row }) => row?.clientWidth);
    for (const each of await buttons.all()) {
      expect(await each.evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)).toBe(0);
      expect((await each.boundingBox())?.width, act).toBe(room);
    }
    await page.keyboard.press('Escape');
  }
});

test('R-LIFE-33, R-LIFE-19, N-59: the last day of the unused codes is set and removed; a day that is over makes them expire, and a later one frees them', async () => {
  await openUpload('Dated', 2);
  const { page } = staff;
  const field = dialog().getByLabel('Last day');
  const setDay = async (day: string, notice?: string) => {
    await button(page, 'Set last day').click();
    await see(
      dialog(),
      '2 codes of this upload are unused and get this day. 0 were handed out and keep theirs.',
    );
    expect(await hasFocus(button(dialog(), 'Cancel'))).toBe(true);
    await field.fill(day);
    if (notice) await see(dialog(), notice);
    await button(dialog(), 'Set last day of 2 codes').click();
    await takeToast(page, 'default', 'Success', 'Last day set for 2 codes, 0 were handed out meanwhile');
  };
  await button(page, 'Set last day').click();
  await field.fill('');
  await field.press('1');
  await button(dialog(), 'Set last day of 2 codes').click();
  await see(dialog(), 'Enter a complete day');
  expect(await hasFocus(field)).toBe(true);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await setDay(LAST_DAY);
  await see(page, `Last day of the available codes: ${LAST_DAY_WORDS}`);
  await setDay('2020-01-31', 'This day is not in the future. The codes will expire.');
  await see(page, 'None left.');
  expect(await readFigures()).toMatchObject({ Available: '0', Void: '0', Expired: '2' });
  await setDay('', 'Codes that have expired become available again.');
  await see(page, 'The available codes have no last day.');
  expect(await readFigures()).toMatchObject({ Available: '2', Void: '0', Expired: '0' });
});

test('R-LIFE-33, C-12: an address of no upload says so and leads back to the list', async () => {
  const { page } = staff;
  staff.allowComplaint(/404/);
  for (const id of ['999999999', 'none']) {
    await page.goto(`/admin/coupons/uploads/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Upload not found' }).waitFor();
    await see(page, 'There is no upload at this address.');
  }
  await link(page, 'Uploads').click();
  await page.getByRole('heading', { level: 2, name: 'Uploads' }).waitFor();
});
