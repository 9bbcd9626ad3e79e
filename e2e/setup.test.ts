// Tests the dashboard's card 'Set up your portal' in a portal that is still empty (R-DAY-51).
import { inviteMember } from '@portal/contract';
import { expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, openPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const TITLE = 'Set up your portal';

const fixture = setOwnFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

test('R-DAY-51: the card counts what is done, leads to each step, and can be hidden; there is no empty chart', async () => {
  const { page } = staff;
  const card = page.getByRole('region', { name: TITLE });
  const steps = () => card.getByRole('listitem').allInnerTexts();
  await card.waitFor();
  expect(await page.getByRole('main').getByRole('heading', { level: 2 }).first().textContent()).toBe(TITLE);
  expect(await steps()).toEqual([
    expect.stringMatching(/Add a product/),
    expect.stringMatching(/Upload its codes/),
    expect.stringMatching(/Give it to people/),
    expect.stringMatching(/Set up mail[\s\S]*Done/),
    expect.stringMatching(/Invite a colleague/),
  ]);
  expect(await card.getByText('Done', { exact: true }).count()).toBe(1);
  await see(page, 'Nobody has redeemed a code yet.');
  expect(await page.getByRole('application').count()).toBe(0);
  for (const [name, path] of [
    ['Add a product', '/admin/products?open=add'],
    ['Upload its codes', '/admin/coupons?open=upload'],
    ['Give it to people', '/admin/users?open=add'],
    ['a cohort', '/admin/users/cohorts'],
    ['Invite a colleague', '/admin/users/team?open=add'],
  ] as const)
    expect(await card.getByRole('link', { name, exact: true }).getAttribute('href')).toBe(path);

  await fixture.admin.addProduct({ name: 'First', description: 'd' });
  await page.reload();
  await expect.poll(async () => (await steps())[0]).toMatch(/Done/);

  await card.getByRole('button', { name: 'Hide' }).click();
  await card.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  await page.reload();
  await see(page, 'Stock left', 'First');
  expect(await card.count()).toBe(0);
});

test('R-DAY-51: a viewer sees how far the portal is, without links to what a viewer may not do', async () => {
  const email = 'viewer@provider.example';
  await fixture.admin.call(inviteMember, { body: { email, team_role: 'viewer', mail: false } });
  const person = await openPerson(fixture);
  await arriveSignedIn(person, fixture, email, '/admin');
  const card = person.page.getByRole('region', { name: TITLE });
  await see(card, 'Managers and owners do these steps.');
  expect(await card.getByRole('link').count()).toBe(0);
  expect(await card.getByRole('listitem').count()).toBe(4);
});
