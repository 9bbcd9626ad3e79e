// Screenshots of the staff pages as viewers and support see them. The members of the demo are owners, so the call by which
// the pages read the role gets a faked response.
import type { TeamRole } from '@portal/contract';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openCard } from '../harness/admin-pages.ts';
import { DEMO_ADMIN, DEMO_LEARNER } from '../harness/demo.ts';
import { heading, type Picture } from './picture.ts';
import type { Sample } from './sample.ts';

export function listRoleScreens(options: BrowserContextOptions, sample: Sample, product: string): Picture[] {
  const screen = (role: TeamRole, name: string, path: string, show: Picture['show']): Picture => ({
    name: `${role}-${name}`,
    options,
    path,
    show: async (page) => {
      await become(page, role);
      await show(page);
    },
  });
  const rows = (page: Page) => page.getByRole('rowheader').first().waitFor();
  return [
    screen('viewer', 'products', '/admin/products', rows),
    screen('viewer', 'product', product, heading('Product')),
    screen('viewer', 'users', '/admin/users', heading('Users')),
    screen('viewer', 'coupons', '/admin/coupons', rows),
    screen('support', 'product', product, heading('Uploads of this product')),
    screen('support', 'users', '/admin/users', lookUp),
    screen('support', 'coupons', '/admin/coupons', rows),
    screen('support', 'upload', sample.upload, heading('About this upload')),
    { name: 'role-too-low', options, path: '/admin/coupons', show: lowerRole },
  ];
}

async function become(page: Page, team_role: TeamRole): Promise<void> {
  await fakeRole(page, team_role);
  await page.reload();
}

/** From the next check on, the page gets this role. */
async function fakeRole(page: Page, team_role: TeamRole): Promise<void> {
  const user = { id: '1', email: DEMO_ADMIN, user_role: 'admin', team_role };
  await page.route('**/api/admin/check', (route) => route.fulfill({ json: { success: true, user } }));
}

async function lookUp(page: Page): Promise<void> {
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(DEMO_LEARNER);
  await page.getByRole('button', { name: 'View Products' }).click();
  await page
    .getByRole('button', { name: /^More for/ })
    .first()
    .waitFor();
}

/** A form is refused because a manager was made support while the page was open. */
async function lowerRole(page: Page): Promise<void> {
  await openCard(page, 'Add New Coupon');
  await page.getByRole('textbox', { name: 'Coupon Code' }).fill('FTHM-9K2R-44TM');
  await page.getByRole('combobox', { name: 'Product', exact: true }).selectOption({ index: 1 });
  const message = 'Your role (support) may not do this. Ask an owner.';
  await page.route('**/api/admin/coupons/single', (route) =>
    route.fulfill({ status: 403, json: { code: 'role_too_low', message } }),
  );
  await fakeRole(page, 'support');
  await page.getByRole('button', { name: 'Save Coupon' }).click();
  await page.getByRole('heading', { name: 'Bulk Upload Coupons' }).waitFor({ state: 'detached' });
  await page.getByText(message, { exact: true }).waitFor();
}
