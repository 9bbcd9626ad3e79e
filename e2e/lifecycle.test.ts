// Tests what learners see after staff have edited, paused, ended or archived a product, or changed an access: on an open
// page, after a click and after a reload. A learner who holds a code keeps seeing it.
import { createGrants, editGrant, type Grant, type Product, withdrawGrant } from '@portal/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { holdCalls } from './harness/hold.ts';
import { edit, setStatus } from './harness/products.ts';
import { FAR, LONG_AGO } from './harness/states.ts';
import {
  expectState,
  openWithCode,
  openWithoutCode,
  press,
  redeemButton,
  reloadWithoutCode,
  sayToday,
  ticketOf,
} from './harness/ticket.ts';

const REDEEM = '**/api/redeem-secure';
const SUPPORT = 'support@example.org';
const REASON = 'The cohort has ended';

const fixture = setFixture();

/**
 * Creates a learner with access to the product and returns the grant. `addLearner` gives the access. The call of
 * `createGrants` changes nothing, but returns the existing grant.
 */
async function grant(email: string, product: Product): Promise<Grant> {
  await fixture.admin.addLearner(email, product);
  const body = { email, product_ids: [product.product_id] };
  const { grants } = await fixture.admin.call(createGrants, { body });
  return grants[0] as Grant;
}

const setDays = ({ id }: Grant, starts_on: string, ends_on: string | null) =>
  fixture.admin.call(editGrant, { params: { id }, body: { starts_on, ends_on, reason: REASON } });

const withdraw = ({ id }: Grant) =>
  fixture.admin.call(withdrawGrant, { params: { id }, body: { reason: REASON, revoke_code: false } });

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

type Change = {
  name: string;
  act: (product: Product, grants: Grant[]) => Promise<unknown>;
  title: string;
  /** The sentence below the title. A function if the sentence names today. */
  message: string | (() => string);
  /**
   * The label of the state and the text of the link on the product's card on home, for a learner without a code. Null
   * if home shows no card for the product.
   */
  card: [string, string] | null;
};

const changes: Change[] = [
  {
    name: 'paused',
    act: (product) => setStatus(fixture, product, 'paused'),
    title: 'Paused',
    message: 'This benefit is paused for the moment. Please try again later.',
    card: ['Paused', 'See Details'],
  },
  {
    name: 'ended',
    act: (product) => edit(fixture, product, { closes_on: LONG_AGO }),
    title: 'This offer has ended',
    message: 'Codes of this benefit are no longer handed out.',
    card: null,
  },
  {
    name: 'archived',
    act: (product) => setStatus(fixture, product, 'archived'),
    title: 'This offer has ended',
    message: 'Codes of this benefit are no longer handed out.',
    card: null,
  },
  {
    name: 'not open yet',
    act: (product) => edit(fixture, product, { opens_on: FAR }),
    title: 'Not open yet',
    message: 'Redeeming opens on 31 Dec 2999.',
    card: ['From 31 Dec 2999', 'See Details'],
  },
  {
    name: 'access that begins later',
    act: (_product, grants) => Promise.all(grants.map((each) => setDays(each, FAR, null))),
    title: 'Not yet yours',
    message: 'Your access to this benefit begins on 31 Dec 2999.',
    card: ['From 31 Dec 2999', 'See Details'],
  },
  {
    name: 'access that is over',
    act: (_product, grants) => Promise.all(grants.map((each) => setDays(each, LONG_AGO, LONG_AGO))),
    title: 'Your access has ended',
    message: `Your access to this benefit ended on 1 Jan 2000. Please write to us at ${SUPPORT}`,
    card: null,
  },
  {
    name: 'withdrawn access',
    act: (_product, grants) => Promise.all(grants.map(withdraw)),
    title: 'Your access has ended',
    message: () => `Your access to this benefit ended on ${sayToday()}. Please write to us at ${SUPPORT}`,
    card: null,
  },
];

test.each(changes)(
  'R-LIFE-36, R-LIFE-40: $name: the next press of a learner without a code shows it as a state of the ticket, and a code that was handed out stays',
  async ({ name, act, title, message, card }) => {
    const slug = name.replaceAll(' ', '-');
    const [holder, other] = [`hold-${slug}@learner.example`, `none-${slug}@learner.example`];
    const product = await offerProduct(fixture, { codes: [`${slug}-1`, `${slug}-2`] });
    const grants = [await grant(holder, product), await grant(other, product)];
    const held = await openWithCode(fixture, holder, product, `${slug}-1`);
    const { page } = await openWithoutCode(fixture, other, product);
    await act(product, grants);
    const sentence = typeof message === 'string' ? message : message();

    await press(page);
    await expectState(page, title, sentence);
    expect(await focused(page)).toBe(title);
    await ticketOf(page).getByRole('alert').waitFor();

    await page.reload();
    await expectState(page, title, sentence);
    expect(await focused(page)).not.toBe(title);
    expect(await ticketOf(page).getByRole('alert').count()).toBe(0);

    await page.goto('/');
    if (card) await see(page.getByRole('article'), ...card);
    else await see(page, 'No tools on this account yet');

    await see(held.page, `${slug}-1`);
    await held.page.reload();
    await see(held.page, `${slug}-1`);
    await held.page.getByRole('link', { name: 'Visit Site To Redeem' }).waitFor();
    await held.page.goto('/');
    await see(held.page.getByRole('article'), /^Code issued /, 'Redeem Now');
  },
);

test('R-LIFE-36: a ticket that was closed opens with the next visit, and home shows it again', async () => {
  const email = 'resumed@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['RESUMED-1'] });
  await setStatus(fixture, product, 'paused');
  const person = await openPerson(fixture);
  person.allowComplaint(/409/);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  const letThrough = await holdCalls(page, REDEEM);
  await page.getByRole('link', { name: /^See Details/ }).click();
  // Home has already loaded the product's state. So the ticket on the product page shows this state before the server
  // responds.
  await ticketOf(page).getByRole('heading', { name: 'Paused' }).waitFor();
  expect(await redeemButton(page).count()).toBe(0);
  await setStatus(fixture, product, 'live');
  letThrough();
  await see(page, 'RESUMED-1');
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  await see(page, /^Code issued /);
});

test('R-LIFE-40: a refusal makes home read its products again', async () => {
  const email = 'reread@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['REREAD-1'] });
  const person = await openPerson(fixture);
  person.allowComplaint(/409/);
  const { page } = person;
  await arriveSignedIn(person, fixture, email);
  await see(page, 'Redeem Now');
  await setStatus(fixture, product, 'paused');
  await page.getByRole('link', { name: /^Redeem Now/ }).click();
  await ticketOf(page).getByRole('heading', { name: 'Paused' }).waitFor();
  await page.getByRole('link', { name: 'Your Partner Benefits' }).click();
  await see(page.getByRole('article'), 'Paused', 'See Details');
});

const EDITED = {
  name: 'Renamed Assistant',
  description: 'Now it also translates.',
  header_text: 'For the autumn course',
  page_title: 'Renamed for autumn',
  instructions: 'Open the new site\nPaste the code',
  url: 'https://renamed.example/start',
};

/** Waits until the page shows all texts of `EDITED`. */
async function expectEditedTexts(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: EDITED.name }).waitFor();
  await see(page, EDITED.description, EDITED.header_text, ...EDITED.instructions.split('\n'));
  expect(await page.title()).toBe(EDITED.page_title);
}

test('R-LIFE-40: an edited product, no code yet: the next load shows all new texts, and a press on a page that was open works', async () => {
  const email = 'edited-none@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['EDITED-1'] });
  const { page } = await openWithoutCode(fixture, email, product);
  await edit(fixture, product, EDITED);
  await see(page, product.description);
  await reloadWithoutCode(page);
  await expectEditedTexts(page);
  await redeemButton(page).waitFor();

  await edit(fixture, product, { name: 'Renamed Again', url: 'https://again.example/start' });
  await press(page);
  await see(page, 'EDITED-1', EDITED.name);
  const link = page.getByRole('link', { name: 'Visit Site To Redeem' });
  expect(await link.getAttribute('href')).toBe('https://again.example/start');
});

test('R-LIFE-40, HOLD: an edited product, a code is shown: the open page keeps working, and the next load shows all new texts and the new link with the same code', async () => {
  const email = 'edited-held@learner.example';
  const product = await offerProduct(fixture, { learners: [email], codes: ['EDITED-2', 'EDITED-3'] });
  const { page } = await openWithCode(fixture, email, product, 'EDITED-2');
  await edit(fixture, product, EDITED);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await see(page, 'Copied');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('EDITED-2');
  await page.getByRole('button', { name: 'View code' }).click();
  await see(page.getByRole('dialog'), 'EDITED-2');
  await page.keyboard.press('Escape');
  const link = page.getByRole('link', { name: 'Visit Site To Redeem' });
  expect(await link.getAttribute('href')).toBe(`https://${product.url}`);

  await page.reload();
  await see(page, 'EDITED-2');
  await expectEditedTexts(page);
  expect(await link.getAttribute('href')).toBe(EDITED.url);
});
