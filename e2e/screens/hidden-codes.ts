// Hides the codes on a staff page, as the portal does with CODES_MASKED=on.
import { findSuffix, type getUserAccess, type listCoupons, type ReplyOf } from '@portal/contract';
import type { Page } from 'playwright-core';

type Code = { coupon_code: string | null };

const hide = <T extends Code>(row: T) => ({
  ...row,
  coupon_code: null,
  hint: findSuffix(row.coupon_code ?? ''),
});

/** Hides the codes in the responses, and loads the page again. `Show` still shows the real code. */
export async function hideCodes(page: Page): Promise<void> {
  await page.route('**/api/coupons?*', async (route) => {
    const response = await route.fetch();
    const rows = (await response.json()) as ReplyOf<typeof listCoupons>;
    await route.fulfill({ response, json: rows.map(hide) });
  });
  await page.route('**/api/admin/user-access/*', async (route) => {
    const response = await route.fetch();
    const access = (await response.json()) as ReplyOf<typeof getUserAccess>;
    const products = access.products.map((product) => ({
      ...product,
      coupon: product.coupon && hide(product.coupon),
    }));
    await route.fulfill({ response, json: { ...access, products } });
  });
  await page.reload();
}

export const showButtons = (page: Page) => page.getByRole('button', { name: /^Show the/ });
