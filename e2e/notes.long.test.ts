// Tests notes: the form above the lines of a timeline.
import { addNote, type Product } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, openPerson, see, seeToast, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { joinTeam, openMember } from './harness/team.ts';

const CALL = '/api/admin/notes';
const CODE = 'TARN-AAAA-K5M7';
const TEXT = 'Writes from a private address that nothing arrives.';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));
let product: Product;
let upload: string;

const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline' });
const field = (page: Page) => timeline(page).getByLabel('Note', { exact: true });
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });
const openButton = (page: Page) => button(timeline(page), 'Add note').first();
const sendButton = (page: Page) => timeline(page).locator('form').getByRole('button', { name: 'Add note' });
const notes = (page: Page, text: string) => timeline(page).locator('ol > li').filter({ hasText: text });
const dialog = (page: Page) => page.getByRole('alertdialog');
const path = () => `/admin/products/${product.product_id}`;

beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Tarnquill' });
  upload = await fixture.admin.importFile(product, 'autumn.csv', 'coupon_code', CODE, 'TARN-BBBB-92XF');
});

async function openNote(page: Page, at = path()): Promise<void> {
  await page.goto(at);
  await timeline(page).locator('ol > li').first().waitFor();
  await openButton(page).click();
  await field(page).waitFor();
}

test('R-TRAIL-07, R-TRAIL-51: a note is added with the keyboard alone; the line appears, and the focus returns', async () => {
  const { page } = staff;
  await page.goto(path());
  await timeline(page).locator('ol > li').first().waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await tabTo(page, openButton(page));
  expect(await openButton(page).getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(field(page))).toBe(true);
  await see(timeline(page), 'A note cannot be changed later. 0 of 2,000 characters');
  await page.keyboard.type(TEXT);
  await see(timeline(page), `A note cannot be changed later. ${TEXT.length} of 2,000 characters`);
  await page.keyboard.press('Tab');
  expect(await hasFocus(button(timeline(page), 'Cancel'))).toBe(true);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await seeToast(page, 'default', 'Success', 'Note added');
  await see(notes(page, TEXT), 'note', TEXT, ADMIN_EMAIL);
  expect(await field(page).count()).toBe(0);
  expect(await hasFocus(openButton(page))).toBe(true);
  await page.reload();
  await notes(page, TEXT).waitFor();
});

test('a double click adds one note, and so does a click while the first request runs', async () => {
  const { page } = staff;
  await openNote(page);
  await field(page).fill('Asked twice.');
  const letThrough = await holdCalls(page, `**${CALL}`);
  const before = staff.countCalls(CALL);
  await sendButton(page).dblclick();
  await page.locator('button[aria-busy=true]').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  expect(await dialog(page).count()).toBe(0);
  letThrough();
  await notes(page, 'Asked twice.').waitFor();
  expect(await notes(page, 'Asked twice.').count()).toBe(1);
  expect(staff.countCalls(CALL) - before).toBe(1);
});

test('R-TRAIL-07, N-90: a code in the note and an empty note are refused at the field, and the text stays', async () => {
  const { page } = staff;
  staff.allowComplaint(/400/);
  await openNote(page);
  await field(page).fill('   ');
  await sendButton(page).click();
  await takeToast(page, 'destructive', 'Missing required fields', 'Write the note first');
  const text = `Their code is ${CODE}, they say.`;
  await field(page).fill(text);
  await sendButton(page).click();
  const words = 'Leave the code out; name its last four characters.';
  await seeToast(page, 'destructive', 'Error', words);
  await see(timeline(page), words);
  expect(await field(page).inputValue()).toBe(text);
  expect(await field(page).getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => hasFocus(field(page))).toBe(true);
  await field(page).fill('Their code is the one with …K5M7, they say.');
  await sendButton(page).click();
  await notes(page, '…K5M7').waitFor();
});

test('Escape and Cancel close the empty form at once, and ask first when something was typed', async () => {
  const { page } = staff;
  await openNote(page);
  await page.keyboard.press('Escape');
  await field(page).waitFor({ state: 'detached' });
  expect(await hasFocus(openButton(page))).toBe(true);

  await openButton(page).click();
  await page.keyboard.type('Half a sentence');
  await page.keyboard.press('Escape');
  await see(dialog(page), 'Discard the note?', 'What you typed is not saved.');
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  expect(await field(page).inputValue()).toBe('Half a sentence');
  expect(await hasFocus(field(page))).toBe(true);

  await button(timeline(page), 'Cancel').click();
  await button(dialog(page), 'Discard').click();
  await field(page).waitFor({ state: 'detached' });
  expect(await hasFocus(openButton(page))).toBe(true);
  await openButton(page).click();
  expect(await field(page).inputValue()).toBe('');
});

test('without the server, what was typed stays, and the same button adds the note later', async () => {
  const { page, context } = staff;
  staff.allowComplaint(/ERR_INTERNET_DISCONNECTED/);
  await openNote(page);
  await field(page).fill('Written on a train.');
  await context.setOffline(true);
  await sendButton(page).click();
  await takeToast(page, 'destructive', 'Error', 'Failed to add the note');
  expect(await field(page).inputValue()).toBe('Written on a train.');
  await context.setOffline(false);
  await sendButton(page).click();
  await notes(page, 'Written on a train.').waitFor();
});

test('a note of another tab is here after Refresh; a note under another chip is shown all the same', async () => {
  const { page } = staff;
  const body = { product_id: product.product_id, text: 'From another tab.' };
  await page.goto(`${path()}?show=access`);
  await see(timeline(page), 'Nothing has happened yet.');
  await fixture.admin.call(addNote, { body });
  await openButton(page).click();
  await field(page).fill('Under the chip Access.');
  await sendButton(page).click();
  await notes(page, 'Under the chip Access.').waitFor();
  expect(await button(timeline(page), 'All').getAttribute('aria-pressed')).toBe('true');
  await notes(page, 'From another tab.').waitFor();

  await button(timeline(page), 'Notes').click();
  await page.waitForURL('**?show=notes');
  await fixture.admin.call(addNote, { body: { ...body, text: 'Once more.' } });
  await button(timeline(page), 'Refresh').click();
  await notes(page, 'Once more.').waitFor();
  await openButton(page).click();
  await field(page).fill('Under the chip Notes.');
  await sendButton(page).click();
  await notes(page, 'Under the chip Notes.').waitFor();
  expect(await button(timeline(page), 'Notes').getAttribute('aria-pressed')).toBe('true');
});

test('2,000 characters fit; a longer text cannot be typed', async () => {
  const { page } = staff;
  await openNote(page);
  await field(page).fill('ä'.repeat(1999));
  await field(page).press('End');
  await page.keyboard.type('yz');
  await see(timeline(page), 'A note cannot be changed later. 2,000 of 2,000 characters');
  await sendButton(page).click();
  await notes(page, `${'ä'.repeat(1999)}y`).waitFor();
});

test('an upload has no notes; support adds one to a code; a role that is lowered meanwhile leaves the text', async () => {
  const { page } = staff;
  await page.goto(`/admin/coupons/uploads/${upload}`);
  await timeline(page).locator('ol > li').first().waitFor();
  expect(await openButton(page).count()).toBe(0);

  const email = 'ravi@team.example';
  const support = await openMember(fixture, 'support', email, '/admin/coupons');
  support.allowComplaint(/403/);
  await support.page
    .getByRole('link', { name: /^Available/ })
    .first()
    .click();
  await openButton(support.page).click();
  await field(support.page).fill('About the code.');
  await sendButton(support.page).click();
  await notes(support.page, 'About the code.').waitFor();

  await openButton(support.page).click();
  await field(support.page).fill('Too late.');
  await joinTeam(fixture, email, 'viewer');
  await sendButton(support.page).click();
  await see(support.page, 'Access restricted');
  expect(await field(support.page).inputValue()).toBe('Too late.');
  expect(await sendButton(support.page).getAttribute('aria-disabled')).toBe('true');
});

test('N-81: a note that was typed before the session ended is here again after the sign-in', async () => {
  const person = await openPerson(fixture);
  person.allowComplaint(/401/);
  const { page } = person;
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, path());
  await openButton(page).click();
  await field(page).fill('Typed before.');
  await page.route(`**${CALL}`, (route) =>
    route.fulfill({ status: 401, json: { code: 'session_ended', message: 'x' } }),
  );
  await sendButton(page).click();
  await see(page, /^You were signed out/);
  await page.unroute(`**${CALL}`);
  await arriveSignedIn(person, fixture, ADMIN_EMAIL, path());
  await see(page, 'What you typed before you were signed out is here again. It was not saved yet.');
  expect(await field(page).inputValue()).toBe('Typed before.');
  await sendButton(page).click();
  await notes(page, 'Typed before.').waitFor();
});
