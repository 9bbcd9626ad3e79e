// Tests that members of the team change address, name and phone number of a person, who may not, and what an open page
// shows after a change.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { chooseAction, openAdminPage } from './harness/admin-pages.ts';
import { arriveSignedIn, keepPerson, see, seeToast, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus } from './harness/keyboard.ts';
import { addHolder, button, card, findRecord, HELD, linesOf, openRecord } from './harness/person-page.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { joinTeam, openMember } from './harness/team.ts';

const MANAGER = 'mona@provider.example';
const SUPPORT = 'vera@provider.example';
const LEARNER = 'jonas@learner.example';

const fixture = setOwnFixture();
let record: string;
beforeAll(async () => {
  record = await addHolder(fixture, LEARNER);
  await joinTeam(fixture, MANAGER, 'manager');
  await joinTeam(fixture, SUPPORT, 'support');
});

const manager = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, MANAGER, '/admin/users'));
const owner = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users'));

const MORE = 'More for this person';
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Edit' });
const field = (page: Page, name: string) => dialog(page).getByRole('textbox', { name });
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' }).click();

async function openEdit(page: Page, path: string): Promise<void> {
  await openRecord(page, path);
  await chooseAction(page, MORE, 'Edit');
}

describe('R-TRAIL-35: Edit', () => {
  test('takes access and codes to a new address, and the page shows it at once', async () => {
    const [old, renewed] = ['old@learner.example', 'new@learner.example'];
    const { page } = manager;
    await openEdit(page, await addHolder(fixture, old));
    await see(dialog(page), /^A new address takes access, cohorts and codes along\./);
    await field(page, 'Email').fill(` ${renewed.toUpperCase()}`);
    await field(page, 'Name').fill('Jona Newman');
    await field(page, 'Phone').fill('+49 30 1234');
    await save(page);
    await seeToast(page, 'default', 'Success', 'Changes saved');
    await page.getByRole('heading', { level: 1, name: 'Jona Newman' }).waitFor();
    await see(page, renewed, 'Phone: +49 30 1234');
    await see(card(page, 'Access'), HELD, /^Assigned /);
    // One line has the old and the new address.
    await linesOf(page, `address changed from ${old} to ${renewed}`).waitFor();
    expect(await hasFocus(button(page, MORE))).toBe(true);
    await openAdminPage(page, 'Users');
    await page.getByRole('table', { name: 'Users' }).getByRole('link', { name: renewed }).waitFor();
    expect(await page.getByText(old, { exact: true }).count()).toBe(0);
  });

  test('names a taken address at the field, with the way to that record', async () => {
    const { page } = manager;
    manager.allowComplaint(/409/);
    await openEdit(page, await addHolder(fixture, 'one@learner.example'));
    await field(page, 'Email').fill(LEARNER);
    await save(page);
    await seeToast(page, 'destructive', 'Error', 'Somebody else has this address');
    expect(await hasFocus(field(page, 'Email'))).toBe(true);
    await expect
      .poll(() =>
        field(page, 'Email').evaluate((input) => input.ariaDescribedByElements?.map((e) => e.textContent)),
      )
      .toEqual(['Somebody else has this address. Open their record']);
    await dialog(page).getByRole('link', { name: 'Open their record' }).click();
    await page.waitForURL(`**${record}`);
    await see(page, LEARNER);
    await dialog(page).waitFor({ state: 'detached' });
  });

  test('an open dialog does not undo a correction that was saved elsewhere, and shows it beside its fields', async () => {
    const [wrong, right] = ['open-wrong@learner.example', 'open-right@learner.example'];
    const { page } = manager;
    const wide = page.viewportSize() ?? { width: 1280, height: 720 };
    manager.allowComplaint(/409/);
    const path = await addHolder(fixture, wrong);
    await openEdit(page, path);
    // The empty elements for later messages take no space above the first field.
    expect(await dialog(page).locator('[role=status]:empty, [role=alert]:empty').count()).toBe(2);
    const text = await dialog(page).getByText('A new address takes').boundingBox();
    const first = await field(page, 'Email').boundingBox();
    expect((first?.y ?? 0) - (text?.y ?? 0) - (text?.height ?? 0)).toBeLessThan(60);
    const other = await manager.openTab();
    await openEdit(other, path);
    await field(other, 'Email').fill(right);
    await save(other);
    await linesOf(other, `address changed from ${wrong} to ${right}`).waitFor();
    await other.close();
    await field(page, 'Phone').fill('+49 30 5678');
    await save(page);
    await see(dialog(page), /^Somebody else changed this person meanwhile\./, right);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await dialog(page).getByRole('alert').locator('svg').isVisible()).toBe(true);
    await page.setViewportSize(wide);
    await dialog(page).getByRole('button', { name: 'Use theirs: Email' }).click();
    expect(await hasFocus(field(page, 'Email'))).toBe(true);
    await save(page);
    await seeToast(page, 'default', 'Success', 'Changes saved');
    await see(page, right, 'Phone: +49 30 5678');
  });

  test('names invalid and missing values at their fields', async () => {
    const { page } = manager;
    await openEdit(page, record);
    await field(page, 'Email').fill('nobody');
    await save(page);
    await see(dialog(page), 'email must be an address such as name@example.org');
    await field(page, 'Email').fill('');
    await field(page, 'Name').fill(' ');
    await save(page);
    await see(dialog(page), 'Enter an email address', 'Enter a name');
    expect(await hasFocus(field(page, 'Email'))).toBe(true);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    expect(await hasFocus(button(page, MORE))).toBe(true);
  });

  test('R-TEAM-43: only owners have it for a member of the team; it names the role that goes along', async () => {
    const member = await findRecord(fixture, SUPPORT);
    await manager.page.goto(member);
    await button(manager.page, MORE).click();
    await manager.page.getByRole('menuitem', { name: /^Download data/ }).waitFor();
    expect(await manager.page.getByRole('menuitem', { name: 'Edit' }).count()).toBe(0);
    await owner.page.goto(member);
    await chooseAction(owner.page, MORE, 'Edit');
    await see(dialog(owner.page), 'Whoever has the new address gets the role support.');
    await owner.page.goto(record);
    await chooseAction(owner.page, MORE, 'Edit');
    expect(
      await dialog(owner.page)
        .getByText(/gets the role/)
        .count(),
    ).toBe(0);
  });

  test('N-02: the last owner keeps the address', async () => {
    const { page } = owner;
    owner.allowComplaint(/409/);
    await page.goto(await findRecord(fixture, ADMIN_EMAIL));
    await chooseAction(page, MORE, 'Edit');
    await field(page, 'Email').fill('elsewhere@provider.example');
    const name = await field(page, 'Name').inputValue();
    if (name === '') await field(page, 'Name').fill('Ada');
    await save(page);
    const words = 'The portal needs an owner. Make somebody else owner first.';
    await takeToast(page, 'destructive', 'Error', words);
    await see(dialog(page), words);
    expect(await dialog(page).getByRole('link').count()).toBe(0);
  });

  test('R-TEAM-21, N-72: a manager who is made support in the middle is refused in words, and the dialog keeps the input', async () => {
    const person = await openMember(fixture, 'manager', 'demoted@provider.example', record);
    const { page } = person;
    person.allowComplaint(/403/);
    await chooseAction(page, MORE, 'Edit');
    await field(page, 'Name').fill('Typed before');
    await joinTeam(fixture, 'demoted@provider.example', 'support');
    await save(page);
    await seeToast(
      page,
      'destructive',
      'Access restricted',
      'Your role (support) may not do this. Ask an owner.',
    );
    expect(await field(page, 'Name').inputValue()).toBe('Typed before');
    await expect.poll(() => hasFocus(dialog(page).getByRole('button', { name: 'Cancel' }))).toBe(true);
    expect(await dialog(page).getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });
});

test('a record that was changed in another tab is up to date after Refresh, and when it is opened again', async () => {
  const email = 'two-tabs@learner.example';
  const record = await addHolder(fixture, email);
  const { page } = owner;
  await openRecord(page, record);
  const other = await owner.openTab();
  await openRecord(other, record);
  await chooseAction(other, MORE, 'Edit');
  await field(other, 'Name').fill('Renamed Elsewhere');
  await dialog(other).getByRole('button', { name: 'Save' }).click();
  await other.getByRole('heading', { level: 1, name: 'Renamed Elsewhere' }).waitFor();
  await linesOf(other, 'record of the person changed').waitFor();
  await card(page, 'Access').getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('heading', { level: 1, name: 'Renamed Elsewhere' }).waitFor();
  await openAdminPage(page, 'Users');
  await chooseAction(other, MORE, 'Edit');
  await field(other, 'Name').fill('Renamed Again');
  await dialog(other).getByRole('button', { name: 'Save' }).click();
  await other.getByRole('heading', { level: 1, name: 'Renamed Again' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Renamed Again' }).waitFor();
  await other.close();
});
