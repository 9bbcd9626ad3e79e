// What tests of administrators' pages do with the pages' own means.
import type { Page } from 'playwright-core';

/** A CSV file as a person chooses it. */
export function csv(name: string, ...lines: string[]) {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
}

/** Goes to an administrators' page by the navigation, without loading anything anew. */
export async function openAdminPage(page: Page, name: 'Dashboard' | 'Products' | 'Users' | 'Coupons') {
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}
