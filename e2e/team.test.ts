// Tests the page about the team: invitations, roles, removals, and the last owner.
import type { TeamRole } from '@portal/contract';
import { inviteMember, listTeam, removeMember } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, openPerson, see, seeToast, takeToast } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const PATH = '/admin/users/team';
const NEEDS_OWNER = 'The portal needs an owner. Make somebody else owner first.';

const fixture = setOwnFixture();
const owner = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, PATH));

const row = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email });
const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('alertdialog');
const select = (page: Page, name: string) => page.getByRole('combobox', { name: `Role of ${name}` });

/** Opens the menu of a member. */
const openMenu = (page: Page, name: string) => button(page, `More for ${name}`).click();

/** Chooses an action from the menu of a member. */
async function choose(page: Page, name: string, action: string): Promise<void> {
  await openMenu(page, name);
  await page.getByRole('menuitem', { name: action }).click();
}

/** Chooses a role while the select has the focus, as in real use. */
async function chooseRole(role: Locator, to: TeamRole): Promise<void> {
  await role.focus();
  await role.selectOption(to);
}

const invite = (email: string, team_role: TeamRole, name: string | null = null) =>
  fixture.admin.call(inviteMember, { body: { email, name, team_role, mail: false } });

async function findRole(email: string): Promise<string | null> {
  const team = await fixture.admin.call(listTeam, {});
  return team.find((member) => member.email === email)?.team_role ?? null;
}

/** Opens the page again and waits for the row of a member. */
async function openAt(page: Page, email: string): Promise<void> {
  await page.goto(PATH);
  await row(page, email).waitFor();
}

test('R-TEAM-30, R-TEAM-11: an owner opens the tab Team, invites somebody, and the person is in the list at once', async () => {
  const { page } = owner;
  await page.goto('/admin/users');
  const tabs = page.getByRole('navigation', { name: 'Section' });
  await tabs.getByRole('link', { name: 'Team' }).click();
  await page.waitForURL(`**${PATH}`);
  await row(page, ADMIN_EMAIL).getByText('you', { exact: true }).waitFor();

  // The form is closed until somebody needs it.
  expect(await button(page, 'Invite').getAttribute('aria-expanded')).toBe('false');
  await button(page, 'Invite').click();
  expect(await hasFocus(page.getByRole('textbox', { name: 'Email' }))).toBe(true);
  await button(page, 'Send Invitation').click();
  await takeToast(page, 'destructive', 'Missing required fields', 'Please fill in all required fields');
  await page.getByRole('textbox', { name: 'Email' }).fill(ADMIN_EMAIL);
  owner.allowComplaint(/400/);
  await button(page, 'Send Invitation').click();
  await takeToast(page, 'destructive', 'Error', 'You cannot invite yourself.');

  await page.getByRole('textbox', { name: 'Email' }).fill('ravi@team.example');
  await page.getByRole('radio', { name: /^Support:/ }).check();
  await button(page, 'Send Invitation').click();
  await takeToast(page, 'default', 'Success', 'Invitation sent');
  await row(page, 'ravi@team.example')
    .getByText(/^Invited .+, not yet here$/)
    .waitFor();
  expect(await select(page, 'ravi@team.example').inputValue()).toBe('support');
  // A member without a session cannot be signed out (N-91).
  await openMenu(page, 'ravi@team.example');
  await expect.poll(() => page.getByRole('menuitem').allTextContents()).toEqual(['Remove']);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('radio', { name: /^Viewer:/ }).isChecked()).toBe(true);

  await page.getByRole('textbox', { name: 'Email' }).fill('ravi@team.example');
  await page.getByRole('radio', { name: /^Support:/ }).check();
  await button(page, 'Send Invitation').click();
  const notSent = 'The role is saved. The last email is less than 10 minutes old.';
  await takeToast(page, 'default', 'Success', notSent);
});

test('R-TEAM-30: a change of role says what is lost or gained, and only the red button makes it', async () => {
  const { page } = owner;
  await invite('tomas@team.example', 'manager', 'Tomás Brandão');
  await openAt(page, 'tomas@team.example');
  const role = select(page, 'Tomás Brandão');

  await chooseRole(role, 'viewer');
  await see(dialog(page), 'Make Tomás Brandão viewer?');
  await see(dialog(page), 'They lose: uploads, products, exports, people, access, codes.');
  expect(await role.inputValue()).toBe('manager');
  expect(await hasFocus(button(dialog(page), 'Cancel'))).toBe(true);
  await button(dialog(page), 'Cancel').click();
  expect(await hasFocus(role)).toBe(true);
  expect(await findRole('tomas@team.example')).toBe('manager');

  // Sorted by role, the row would now be below the row of the support member.
  const readOrder = () => page.getByRole('rowheader').allTextContents();
  const order = await readOrder();
  expect(order.indexOf('tomas@team.example')).toBeLessThan(order.indexOf('ravi@team.example'));
  await chooseRole(role, 'support');
  await see(dialog(page), 'They lose: uploads, products, exports.');
  await button(dialog(page), 'Make support').click();
  await seeToast(page, 'default', 'Success', 'Role changed');
  expect(await role.inputValue()).toBe('support');
  expect(await hasFocus(role)).toBe(true);
  await takeToast(page, 'default', 'Success', 'Role changed');
  expect(await readOrder()).toEqual(order);
  expect(await findRole('tomas@team.example')).toBe('support');

  await chooseRole(role, 'owner');
  await see(dialog(page), 'They gain: team, integrations, uploads, products, exports.');
  await button(dialog(page), 'Cancel').click();
});

test('R-TEAM-12, R-TEAM-44: a member is signed out, then removed, and notices both at once', async () => {
  const { page } = owner;
  await invite('hanne@team.example', 'support', 'Hanne Solberg');
  const hanne = await openPerson(fixture);
  hanne.allowComplaint(/40[013]/);
  await arriveSignedIn(hanne, fixture, 'hanne@team.example', '/admin');
  await openAt(page, 'hanne@team.example');

  await choose(page, 'Hanne Solberg', 'Sign out everywhere');
  await see(dialog(page), 'Sign out Hanne Solberg?');
  await button(dialog(page), 'Sign out').click();
  await seeToast(page, 'default', 'Success', 'Signed out everywhere');
  expect(await hasFocus(button(page, 'More for Hanne Solberg'))).toBe(true);
  await takeToast(page, 'default', 'Success', 'Signed out everywhere');
  await openMenu(page, 'Hanne Solberg');
  await expect.poll(() => page.getByRole('menuitem').allTextContents()).toEqual(['Remove']);
  await page.keyboard.press('Escape');
  await hanne.page.goto('/admin/users');
  await hanne.page.waitForURL('**/admin-login');

  await choose(page, 'Hanne Solberg', 'Remove');
  await see(dialog(page), 'Remove Hanne Solberg from the team?');
  await see(dialog(page), 'They lose: people, access, codes. Their own products and codes stay.');
  expect(await page.getByRole('checkbox', { name: 'Also sign them out everywhere' }).isChecked()).toBe(true);
  const sent = page.waitForRequest('**/remove');
  await button(dialog(page), 'Remove').click();
  expect((await sent).postDataJSON()).toEqual({ sign_out: true });
  await takeToast(page, 'default', 'Success', 'Removed from the team');
  await row(page, 'hanne@team.example').waitFor({ state: 'detached' });
  expect(await findRole('hanne@team.example')).toBeNull();
});

test('R-TEAM-44: without the tick, a removed member stays signed in as a learner', async () => {
  const { page } = owner;
  await invite('ines@team.example', 'manager', 'Ines Valdés');
  await openAt(page, 'ines@team.example');
  await choose(page, 'Ines Valdés', 'Remove');
  await page.getByRole('checkbox', { name: 'Also sign them out everywhere' }).uncheck();
  const sent = page.waitForRequest('**/remove');
  await button(dialog(page), 'Remove').click();
  expect((await sent).postDataJSON()).toEqual({ sign_out: false });
  await takeToast(page, 'default', 'Success', 'Removed from the team');
});

test.each(['Remove', 'Make manager'])(
  'R-TEAM-12: ‘%s’ for a member whom another owner removes meanwhile: a toast says so, and the row goes',
  async (action) => {
    const { page } = owner;
    owner.allowComplaint(/404/);
    const email = `${action.slice(0, 4).toLowerCase()}.twice@team.example`;
    await invite(email, 'support', 'Mira Twice');
    const team = await fixture.admin.call(listTeam, {});
    const user_id = team.find((member) => member.email === email)?.user_id ?? '';
    await openAt(page, email);
    // The menu, or the dialog, is open while the other owner acts.
    if (action === 'Remove') await openMenu(page, 'Mira Twice');
    else await chooseRole(select(page, 'Mira Twice'), 'manager');
    await fixture.admin.call(removeMember, { params: { user_id }, body: { sign_out: true } });
    if (action === 'Remove') await page.getByRole('menuitem', { name: 'Remove' }).click();
    await button(dialog(page), action).click();
    await takeToast(page, 'destructive', 'Error', 'This person is not on the team any more.');
    await row(page, email).waitFor({ state: 'detached' });
    expect(await findRole(email)).toBeNull();
  },
);

test('R-TEAM-13, R-TEAM-33: the last owner cannot step down: a toast says why, and the select keeps the role', async () => {
  const { page } = owner;
  await openAt(page, ADMIN_EMAIL);
  owner.allowComplaint(/409/);
  const role = select(page, ADMIN_EMAIL);
  await chooseRole(role, 'manager');
  await see(dialog(page), 'You lose: team, integrations. You cannot undo this yourself.');
  await button(dialog(page), 'Make manager').click();
  await seeToast(page, 'destructive', 'Error', NEEDS_OWNER);
  expect(await role.inputValue()).toBe('owner');
  expect(await hasFocus(role)).toBe(true);
  await takeToast(page, 'destructive', 'Error', NEEDS_OWNER);
  expect(await findRole(ADMIN_EMAIL)).toBe('owner');
});

test('R-TEAM-30: an owner who steps down, because another one remains, leaves the page', async () => {
  await invite('second@team.example', 'owner');
  const second = await openPerson(fixture);
  second.allowComplaint(/403/);
  await arriveSignedIn(second, fixture, 'second@team.example', PATH);
  const { page } = second;
  await row(page, 'second@team.example').waitFor();
  await select(page, 'second@team.example').selectOption('support');
  await button(dialog(page), 'Make support').click();
  await see(page, 'Nothing here for your role.');
  expect(await page.getByRole('navigation', { name: 'Section' }).count()).toBe(0);
});

test.each(['viewer', 'support', 'manager'] as const)(
  'R-TEAM-30: a %s sees no tab Team, and the page has nothing for this role',
  async (role) => {
    const email = `a-${role}@team.example`;
    await invite(email, role);
    const person = await openPerson(fixture);
    await arriveSignedIn(person, fixture, email, PATH);
    await see(person.page, 'Nothing here for your role.');
    expect(person.countCalls('/api/admin/team')).toBe(0);
    expect(await person.page.getByRole('link', { name: 'Team' }).count()).toBe(0);
  },
);

test('R-TEAM-30: the page is used with the keyboard alone', async () => {
  const { page } = owner;
  await invite('key@team.example', 'viewer', 'Kay Board');
  await openAt(page, 'key@team.example');
  await tabTo(page, button(page, 'Invite'));
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(page.getByRole('textbox', { name: 'Email' }))).toBe(true);
  await page.keyboard.type('typed@team.example');
  await tabTo(page, page.getByRole('radio', { name: /^Viewer:/ }));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await takeToast(page, 'default', 'Success', 'Invitation sent');
  expect(await findRole('typed@team.example')).toBe('support');
  await tabTo(page, button(page, 'More for Kay Board'));
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem').first().waitFor();
  await page.keyboard.press('Enter');
  await see(dialog(page), 'They lose: figures. Their own products and codes stay.');
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await expect.poll(() => hasFocus(button(page, 'More for Kay Board'))).toBe(true);
});
