// Screenshots of the staff page about the team.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { see } from '../harness/browser.ts';
import { DEMO_ADMIN } from '../harness/demo.ts';
import { center, type Picture } from './picture.ts';
import { TEAM } from './sample.ts';

const [{ name: MANAGER }, { name: SUPPORT }] = TEAM;

export function listTeamScreens(options: BrowserContextOptions): Picture[] {
  const screen = (name: string, show: Picture['show']): Picture => ({
    name,
    options,
    path: '/admin/users/team',
    show: async (page) => {
      await page.getByRole('row').filter({ hasText: MANAGER }).waitFor();
      await show(page);
    },
  });
  return [
    screen('team', async () => undefined),
    { ...screen('team-invite', async () => undefined), path: '/admin/users/team?open=add' },
    {
      ...screen('team-table', async () => undefined),
      part: (page) => page.getByRole('region', { name: 'Team' }),
    },
    screen('team-role', (page) => chooseRole(page, MANAGER, 'support')),
    screen('team-remove', (page) => choose(page, SUPPORT, 'Remove')),
    screen('team-last-owner', async (page) => {
      await chooseRole(page, DEMO_ADMIN, 'manager');
      await page.getByRole('button', { name: 'Make manager' }).click();
      await see(page, 'The portal needs an owner. Make somebody else owner first.');
      await center(page.getByRole('combobox', { name: `Role of ${DEMO_ADMIN}` }));
    }),
  ];
}

async function chooseRole(page: Page, name: string, role: string): Promise<void> {
  const select = page.getByRole('combobox', { name: new RegExp(`^Role of .*${name}`) });
  await center(select);
  await select.selectOption(role);
  await page.getByRole('alertdialog').waitFor();
}

async function choose(page: Page, name: string, action: string): Promise<void> {
  const menu = page.getByRole('button', { name: `More for ${name}` });
  await center(menu);
  await menu.click();
  await page.getByRole('menuitem', { name: action }).click();
  await page.getByRole('alertdialog').waitFor();
}
