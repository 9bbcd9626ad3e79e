// Tests that the admin pages show each role of the team what it may do, and nothing else.
import type { Cohort, Product, TeamRole } from '@portal/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openCard } from './harness/admin-pages.ts';
import { see, takeToast } from './harness/browser.ts';
import { addCohort } from './harness/cohorts.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { edit } from './harness/products.ts';
import { openMember, ROLES } from './harness/team.ts';

const HOLDER = 'rolf@learner.example';
const CODES = ['ROLE-CODE-HELD', 'ROLE-CODE-FREE-1', 'ROLE-CODE-FREE-2', 'ROLE-CODE-FREE-3'];
const NOTHING = 'Nothing here for your role.';

const fixture = setOwnFixture();
let product: Product;
let upload: string;
let cohort: Cohort;

beforeAll(async () => {
  product = await fixture.admin.addProduct({ name: 'Rollenspiel' });
  upload = await fixture.admin.importFile(product, 'roles.csv', 'coupon_code', ...CODES);
  await fixture.admin.addLearner(HOLDER, product, await fixture.admin.addProduct({ name: 'Ohne Code' }));
  await fixture.admin.giveCode(HOLDER, product);
  cohort = await addCohort(fixture, 'Rollengruppe', { products: [product], members: [HOLDER] });
  // The record of an edited product contains the address of who edited it.
  await edit(fixture, product, { header_text: 'Edited' });
});

const heading = (name: string) => ({ role: 'heading', name }) as const;
const button = (name: string) => ({ role: 'button', name }) as const;

/**
 * For each admin page: its parts, and the roles that see each of them. `first` is the lowest of these roles; without
 * `last`, all higher roles see the part too.
 */
const PAGES: {
  path: () => string;
  title: string;
  parts: { part: ReturnType<typeof heading | typeof button>; first: TeamRole; last?: TeamRole }[];
}[] = [
  {
    path: () => '/admin',
    title: 'Dashboard',
    parts: [
      { part: heading('Redemptions'), first: 'viewer' },
      { part: heading('Stock left'), first: 'viewer' },
    ],
  },
  {
    path: () => '/admin/products',
    title: 'Products',
    parts: [
      { part: heading('Existing Products'), first: 'viewer' },
      { part: heading('Add New Product'), first: 'manager' },
      { part: heading('Bulk Upload Products'), first: 'manager' },
    ],
  },
  {
    path: () => `/admin/products/${product.product_id}`,
    title: 'Rollenspiel',
    parts: [
      { part: heading('Product'), first: 'viewer' },
      { part: heading('Live'), first: 'viewer' },
      { part: heading('Uploads of this product'), first: 'support' },
      { part: button('Edit'), first: 'manager' },
      { part: button('Pause'), first: 'manager' },
      { part: button('More for Rollenspiel'), first: 'manager' },
    ],
  },
  {
    path: () => '/admin/users/cohorts',
    title: 'Users',
    parts: [
      { part: heading('Existing Cohorts'), first: 'viewer' },
      { part: heading('Add New Cohort'), first: 'manager' },
    ],
  },
  {
    path: () => `/admin/users/cohorts/${cohort.cohort_id}`,
    title: 'Rollengruppe',
    parts: [
      { part: heading('Products'), first: 'support' },
      { part: heading('Members'), first: 'support' },
      { part: heading('Timeline'), first: 'support' },
      { part: heading('Add Members'), first: 'manager' },
      { part: heading('Bulk Upload Users'), first: 'manager' },
      { part: button('Change all dates'), first: 'manager' },
      { part: button('More for Rollengruppe'), first: 'manager' },
    ],
  },
  {
    path: () => '/admin/users',
    title: 'Users',
    parts: [
      // For a viewer, the section has only the cohorts.
      { part: heading('Existing Cohorts'), first: 'viewer', last: 'viewer' },
      { part: heading('User Access Management'), first: 'support' },
      { part: heading('Existing Users'), first: 'support' },
      { part: heading('Add New User'), first: 'manager' },
      { part: heading('Bulk Upload Users'), first: 'manager' },
    ],
  },
  {
    path: () => '/admin/coupons',
    title: 'Coupons',
    parts: [
      { part: heading('Coupons per product'), first: 'viewer', last: 'viewer' },
      { part: heading('Existing Coupons'), first: 'support' },
      { part: heading('Add New Coupon'), first: 'manager' },
      { part: heading('Bulk Upload Coupons'), first: 'manager' },
    ],
  },
  {
    path: () => '/admin/coupons/uploads',
    title: 'Coupons',
    parts: [{ part: heading('Uploads'), first: 'support' }],
  },
  {
    path: () => `/admin/coupons/uploads/${upload}`,
    title: 'roles.csv',
    parts: [
      { part: heading('About this upload'), first: 'support' },
      { part: heading('Change this upload'), first: 'manager' },
      { part: button('Void unused codes'), first: 'manager' },
      { part: button('Set last day'), first: 'manager' },
    ],
  },
];

const isShownTo = (role: TeamRole, { first, last = 'owner' }: { first: TeamRole; last?: TeamRole }) =>
  ROLES.indexOf(role) >= ROLES.indexOf(first) && ROLES.indexOf(role) <= ROLES.indexOf(last);

/** Opens each admin page, waits for the parts that the role sees, and checks that all others are absent. */
async function walk(page: Page, role: TeamRole): Promise<void> {
  const main = page.getByRole('main');
  for (const { path, title, parts } of PAGES) {
    await page.goto(path());
    const shown = parts.filter((part) => isShownTo(role, part));
    for (const { part } of shown) await main.getByRole(part.role, { name: part.name, exact: true }).waitFor();
    if (shown.length === 0) await see(page, NOTHING);
    else expect(await page.getByText(NOTHING).count(), path()).toBe(0);
    const list = path().includes('uploads') ? 'Coupons' : path().includes('cohorts') ? 'Users' : title;
    const name = shown.length === 0 ? list : title;
    await main.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await expectLoaded(page);
    for (const { part } of parts.filter((each) => !isShownTo(role, each))) {
      const found = main.getByRole(part.role, { name: part.name, exact: true });
      expect(await found.count(), `${role} at ${path()}: ${part.name}`).toBe(0);
    }
    const nav = page.getByRole('navigation', { name: 'Admin' }).getByRole('link');
    expect(await nav.allTextContents()).toEqual([
      ...['Dashboard', 'Products', 'Users', 'Coupons', 'Back to Website'],
    ]);
    const tabs = await page.getByRole('navigation', { name: 'Section' }).getByRole('link').allTextContents();
    const hasTabs = title === 'Coupons' && role !== 'viewer';
    expect(tabs.filter((tab) => ['Codes', 'Uploads'].includes(tab))).toEqual(
      hasTabs ? ['Codes', 'Uploads'] : [],
    );
  }
}

/** Waits until no part of the page loads any more. */
async function expectLoaded(page: Page): Promise<void> {
  await expect
    .poll(() =>
      page
        .getByRole('main')
        .getByText(/^Loading|^Checking/)
        .count(),
    )
    .toBe(0);
}

/** Records status and body of each response of the API. Returns the list of records, which grows with each response. */
function recordAnswers(page: Page) {
  const answers: { path: string; status: number; body: Promise<string> }[] = [];
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url());
    if (!/^\/(api|auth)\//.test(pathname)) return;
    const body = response.text().catch(() => '');
    answers.push({ path: pathname + search, status: response.status(), body });
  });
  return answers;
}

test.each(ROLES)(
  'R-TEAM-31, R-TEAM-32: as %s, a member sees on each admin page what the role may do and nothing else, and no call is refused',
  async (role) => {
    const person = await openMember(fixture, role, `walk-${role}@provider.example`, '/admin');
    const answers = recordAnswers(person.page);
    await walk(person.page, role);
    expect(answers.filter(({ status }) => status >= 400)).toEqual([]);
    const isManager = role === 'manager' || role === 'owner';
    expect(person.countCalls('/api/admin/jobs/failed') > 0).toBe(isManager);
  },
);

test('R-TEAM-32, R-TEAM-04: a viewer’s browser receives no code and nobody else’s address', async () => {
  const email = 'blind@provider.example';
  const { page } = await openMember(fixture, 'viewer', email, '/admin');
  const answers = recordAnswers(page);
  await walk(page, 'viewer');
  expect(answers.length).toBeGreaterThan(10);
  for (const { path, body } of answers) {
    const text = await body;
    expect(
      CODES.filter((code) => text.includes(code)),
      path,
    ).toEqual([]);
    const addresses = text.match(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g) ?? [];
    expect(
      addresses.filter((address) => address !== email),
      path,
    ).toEqual([]);
  }
});

test('R-TEAM-32, N-92: a viewer sees the numbers of codes of each product, scarcest first', async () => {
  const { page } = await openMember(fixture, 'viewer', 'figures@provider.example', '/admin/coupons');
  const table = page.getByRole('table', { name: 'Coupons per product' });
  const rowOf = (name: string) => table.getByRole('row').filter({ hasText: name });
  await rowOf('Rollenspiel').waitFor();
  const cellsOf = async (name: string) => await rowOf(name).getByRole('cell').allTextContents();
  expect((await cellsOf('Rollenspiel')).slice(0, 6)).toEqual(['4', '3', '1', '0', '0', '0']);
  const none = await cellsOf('Ohne Code');
  expect(none.slice(0, 6)).toEqual(['0', '0', '0', '0', '0', '0']);
  expect(none[6]).toMatch(/^None left/);
  // Below the name stands how long the codes last, once the job has counted.
  const names = await table.getByRole('rowheader').allTextContents();
  const placeOf = (name: string) => names.findIndex((text) => text.startsWith(name));
  expect(placeOf('Ohne Code')).toBeGreaterThanOrEqual(0);
  expect(placeOf('Ohne Code')).toBeLessThan(placeOf('Rollenspiel'));
});

test('R-TEAM-31: a viewer and support read a product’s texts and days without the form', async () => {
  for (const role of ['viewer', 'support'] as const) {
    const path = `/admin/products/${product.product_id}`;
    const { page } = await openMember(fixture, role, `reads-${role}@provider.example`, path);
    const card = page.getByRole('region', { name: 'Product', exact: true });
    await see(card, product.description, product.url);
    expect(await card.getByRole('textbox').count()).toBe(0);
    expect(await card.locator('dt').allTextContents()).toEqual(['URL', 'Description', 'Header Text']);
    // What is not set is named in one line.
    const unset = [
      ...['Page Title', 'Instructions', 'Category', 'Value', 'Terms'],
      ...['Redeeming opens', 'Redeeming closes', 'Default last day for codes', 'Perks'],
    ];
    await see(card, `Not set: ${unset.join(', ')}`);
  }
});

test('R-TEAM-31, R-AUSER-13: the list of users shows admin for each role of the team, with the role as title text', async () => {
  const { page } = await openMember(fixture, 'support', 'titles@provider.example', '/admin/users');
  const cellOf = (email: string) =>
    page.getByRole('row').filter({ hasText: email }).getByRole('cell', { name: 'admin', exact: true });
  for (const [email, role] of [
    [ADMIN_EMAIL, 'owner'],
    ['titles@provider.example', 'support'],
  ] as const)
    await cellOf(email).getByTitle(role, { exact: true }).waitFor();
});

test('R-TEAM-31, N-12, N-93: support generates, regenerates and replaces codes, and has no menu where no act is left', async () => {
  const learner = 'frieda@learner.example';
  const mine = await fixture.admin.addProduct({ name: 'Fundstelle' });
  await fixture.admin.addCodes(mine, 'FUND-1', 'FUND-2');
  await fixture.admin.addLearner(learner, mine);
  const { page } = await openMember(fixture, 'support', 'helps@provider.example', '/admin/users');
  await openCard(page, 'User Access Management');
  await page.getByLabel('User email').fill(learner);
  await page.getByRole('button', { name: 'View Products' }).click();
  const generate = page.getByRole('button', { name: 'Generate Coupon for User' });
  await generate.waitFor();
  const opener = page.getByRole('button', { name: 'More for Fundstelle' });
  expect(await opener.count()).toBe(0);
  await generate.click();
  await takeToast(page, 'default', 'Success', 'Coupon generated: FUND-1');
  await opener.click();
  await expect
    .poll(() => page.getByRole('menuitem').allTextContents())
    .toEqual(['Email the link to the code', 'Replace code']);
  await page.getByRole('menuitem', { name: 'Replace code' }).click();
  await page.getByRole('dialog').getByText('Used by somebody else').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace code' }).click();
  await takeToast(page, 'default', 'Success', 'Code replaced: FUND-2');
});

test('R-TEAM-31: support reads about uploads while a job runs, without asking for the job', async () => {
  const path = `/admin/coupons/uploads/${upload}`;
  const person = await openMember(fixture, 'support', 'job@provider.example', '/admin');
  await person.page.route(`**/api/admin/batches/${upload}`, async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), running_job: crypto.randomUUID() } });
  });
  await person.page.goto(`${path}?job=${crypto.randomUUID()}`);
  await see(person.page, 'About this upload');
  await expectLoaded(person.page);
  expect(await person.page.getByRole('progressbar').count()).toBe(0);
});
