// Helpers for tests of the record of a person: learners with a code, the parts of the page.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Fixture } from './fixture.ts';

/** The product of which learners hold a code. */
export const HELD = 'Tarnquill';

/** Returns the code that `addHolder` gives to the learner. */
export const codeOf = (email: string) => `TQWL-${email}-LQ27`;

/** Adds a learner who holds a code of the product `HELD`. Returns the path of the record. */
export async function addHolder({ admin }: Fixture, email: string): Promise<string> {
  const known = (await admin.listProducts()).find(({ name }) => name === HELD);
  const product = known ?? (await admin.addProduct({ name: HELD }));
  await admin.addCodes(product, codeOf(email));
  await admin.addLearner(email, product);
  await admin.giveCode(email, product);
  return findRecord({ admin }, email);
}

/** Returns the path of the record of the person with this address. */
export async function findRecord({ admin }: Pick<Fixture, 'admin'>, email: string): Promise<string> {
  const user = (await admin.listUsers()).find((each) => each.email === email);
  return `/admin/users/${user?.user_id}`;
}

export const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
export const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });
export const linesOf = (page: Page, words: string | RegExp) =>
  card(page, 'Timeline').getByText(words, { exact: true });

/** Opens a record of a learner with a code, and waits for its access and its timeline. */
export async function openRecord(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await card(page, 'Access').getByText(HELD, { exact: true }).waitFor();
  await card(page, 'Timeline').getByRole('listitem').first().waitFor();
}

/** Waits until the notification, in any language, shows this text. */
export async function seeInToast(page: Page, words: RegExp): Promise<void> {
  const toast = page.locator('[data-variant]').filter({ visible: true });
  await expect.poll(() => toast.allTextContents()).toEqual([expect.stringMatching(words)]);
}
