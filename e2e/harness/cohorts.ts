// Creates cohorts for tests, and reads their pages.
import { addMembers, type Cohort, createCohort, type Product } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { see } from './browser.ts';
import type { Fixture } from './fixture.ts';

type Given = { products?: Product[]; members?: string[]; starts_on?: string; ends_on?: string | null };

/** Creates a cohort that gives the products, and adds the members, who may be unknown to the portal. */
export async function addCohort(
  { admin }: Fixture,
  name: string,
  { products = [], members = [], starts_on, ends_on = null }: Given = {},
): Promise<Cohort> {
  const product_ids = products.map(({ product_id }) => product_id ?? '');
  const cohort = await admin.call(createCohort, {
    body: { name, note: null, product_ids, starts_on, ends_on },
  });
  if (members.length > 0) await join({ admin }, cohort, members);
  return cohort;
}

export async function join({ admin }: Pick<Fixture, 'admin'>, { cohort_id: id }: Cohort, emails: string[]) {
  await admin.call(addMembers, { params: { id }, body: { emails } });
}

/** Returns `count` addresses. Lists show the last one first. */
export const addresses = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_email, at) => `${prefix}-${at + 1}@learner.example`);

export const cohortPath = ({ cohort_id }: Pick<Cohort, 'cohort_id'>) => `/admin/users/cohorts/${cohort_id}`;

/** Opens the page of a cohort, and waits until the members, or the text about none, are there. */
export async function openCohort(page: Page, cohort: Cohort, words: string): Promise<void> {
  await page.goto(cohortPath(cohort));
  await page.getByRole('heading', { level: 1, name: cohort.name }).waitFor();
  await see(page, words);
}

/** The check box of a person in a list. */
export const tickOf = (page: Page | Locator, name: string) =>
  page.getByRole('checkbox', { name: `Select ${name}`, exact: true });

/** The bar with the actions on the selected people. */
export const barOf = (page: Page) => page.getByRole('region', { name: 'Selected people' });
