// Tests that staff read on the access card whether a person would get a code of a product now, and why (R-COHORT-25).
import { createGrants, explainAccess, type Product } from '@portal/contract';
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, keepPerson, openPerson, see, seeToast, takeToast } from './harness/browser.ts';
import { type Fixture, setFixture } from './harness/fixture.ts';
import { hasFocus, tabTo } from './harness/keyboard.ts';
import { findRecord } from './harness/person-page.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';
import { setStatus } from './harness/products.ts';
import { dayIn } from './harness/states.ts';
import {
  addVerdicts,
  CLOSED,
  ENDED,
  give,
  LIVE,
  lineOf,
  lookUp,
  OPENS,
  shown,
  VERDICTS,
} from './harness/verdicts.ts';

const ONE = 'wanda@why.example';
const ALL = 'walter@why.example';

const fixture: Fixture = setFixture();
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users'));

beforeAll(() => addVerdicts(fixture, { one: ONE, all: ALL }));

const whyButton = (name: string) => staff.page.getByRole('button', { name: `Why? ${name}`, exact: true });
const reasonsOf = (name: string) => staff.page.getByRole('region', { name: `Why? ${name}`, exact: true });

test.each(['en-GB', 'de-DE'])(
  'R-COHORT-25, R-COHORT-17, N-67: each product has the sentence of its verdict, in %s',
  async (locale) => {
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    person.allowComplaint(/404/);
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users');
    await lookUp(page, ONE);
    for (const [name, look, day, en, de] of VERDICTS) {
      const sentence = locale === 'en-GB' ? en : de;
      await see(lineOf(page, name), day ? sentence.replace('{day}', shown(day, locale)) : sentence);
      expect(await lineOf(page, name).locator('[data-is]').getAttribute('data-is'), name).toBe(look);
    }
    await lookUp(page, ALL);
    await see(
      lineOf(page, 'Why now'),
      locale === 'en-GB'
        ? `Can redeem now, all products, by ${ADMIN_EMAIL}.`
        : `Kann jetzt einlösen, alle Produkte, erteilt von ${ADMIN_EMAIL}.`,
    );
    await lookUp(page, 'nobody@stranger.example');
    await see(
      page.getByRole('main'),
      locale === 'en-GB' ? 'Nobody is known by this address.' : 'Unter dieser Adresse ist niemand bekannt.',
    );
  },
);

// No call creates a grant of a purchase, so the test changes the server's response.
test.each(['en-GB', 'de-DE'])(
  'R-COHORT-25, N-68: the verdicts of an archived product, of a purchase and without a reason, in %s',
  async (locale) => {
    const archived = await give(fixture, ONE, `Why archived ${locale}`);
    await setStatus(fixture, archived, 'archived');
    const params = { email: ONE, product_id: archived.product_id };
    expect((await fixture.admin.call(explainAccess, { params })).verdict).toBe('product_archived');
    const person = await openPerson(fixture, { locale });
    const { page } = person;
    await page.route(`**/api/admin/user-access/${encodeURIComponent(ONE)}`, async (route) => {
      const response = await route.fetch();
      const access = await response.json();
      for (const product of access.products) {
        if (product.name === 'Why now') product.why.parts = { source: 'purchase', purchase_id: '17' };
        if (product.name === 'Why revoked') delete product.why.parts.reason;
        if (product.name === 'Why removed') delete product.why.parts.reason;
        if (product.name === 'Why held')
          product.why = { verdict: 'newer', sentence: 'A newer verdict.', parts: {} };
      }
      await route.fulfill({ response, json: access });
    });
    await arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin/users');
    await lookUp(page, ONE);
    const day = shown(dayIn(0), locale);
    const words =
      locale === 'en-GB'
        ? [
            `This product was archived on ${day}.`,
            'Can redeem now, by purchase 17.',
            `The code was revoked on ${day}.`,
            `Access was removed on ${day} by ${ADMIN_EMAIL}.`,
          ]
        : [
            `Dieses Produkt wurde am ${day} archiviert.`,
            'Kann jetzt einlösen, erteilt durch den Kauf 17.',
            `Der Code wurde am ${day} zurückgezogen.`,
            `Der Zugang wurde am ${day} von ${ADMIN_EMAIL} entzogen.`,
          ];
    await see(page.getByRole('main'), ...words, 'A newer verdict.');
  },
);

test('R-COHORT-25: Why? lists the grants with source, dates, state and who, then the product; one is open at a time, and the focus stays', async () => {
  const { page } = staff;
  const { product_id } = (await fixture.admin.listProducts()).find(
    ({ name }) => name === 'Why together',
  ) as Product;
  const body = {
    email: ONE,
    product_ids: [product_id],
    starts_on: dayIn(-60),
    ends_on: dayIn(-50),
  };
  await fixture.admin.call(createGrants, { body });
  await lookUp(page, ONE);
  const why = whyButton('Why together');
  await tabTo(page, whyButton('Why now'));
  await page.keyboard.press('Enter');
  await reasonsOf('Why now').waitFor();
  await why.focus();
  await page.keyboard.press('Enter');
  const reasons = reasonsOf('Why together');
  const rows = reasons.getByRole('table', { name: 'Grants of Why together' }).getByRole('row');
  await rows.first().waitFor();
  const of = (day: string) => shown(day, 'en-US');
  const by = `${ADMIN_EMAIL}, ${of(dayIn(0))}`;
  expect(
    await rows.evaluateAll((all) => all.map((row) => [...row.children].map((each) => each.textContent))),
  ).toEqual([
    ['Gives access', 'From', 'Until', 'State', 'Given by'],
    ['Directly', of(dayIn(-60)), of(dayIn(-50)), 'Ended', by],
    [`Cohort ${LIVE}`, of(dayIn(0)), of(dayIn(40)), 'Live', by],
  ]);
  await see(reasons, 'Product: live, 2 codes left. This person never signed in.');
  expect(await page.getByRole('region', { name: /^Why\?/ }).count()).toBe(1);
  expect([await hasFocus(why), await why.getAttribute('aria-expanded')]).toEqual([true, 'true']);
  expect(await whyButton('Why now').getAttribute('aria-expanded')).toBe('false');
  expect(await why.getAttribute('aria-controls')).toBe(await reasons.getAttribute('id'));
  const link = reasons.getByRole('link');
  expect(await link.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual([
    expect.stringMatching(/^\/admin\/users\/cohorts\/[0-9a-f-]{36}$/),
  ]);
  await page.keyboard.press('Space');
  await reasons.waitFor({ state: 'detached' });
  expect(await hasFocus(why)).toBe(true);
});

test.each([
  ['Why ended', `Product: ended, closed ${shown(CLOSED, 'en-US')}, 0 codes left.`],
  ['Why scheduled', `Product: scheduled, opens ${shown(OPENS, 'en-US')}, 0 codes left.`],
  ['Why now', 'Product: live, 1 code left.'],
])('R-COHORT-25: the last line about the product: %s', async (name, words) => {
  const { page } = staff;
  await lookUp(page, ONE);
  await whyButton(name).click();
  await see(reasonsOf(name), `${words} This person never signed in.`);
});

test('R-COHORT-25: reasons that cannot be loaded can be tried again; without a grant that counts, they name the archived cohort', async () => {
  const { page } = staff;
  staff.allowComplaint(/500/);
  await lookUp(page, ONE);
  await page.route('**/why/*', (route) => route.fulfill({ status: 500, json: { message: 'x' } }));
  await whyButton('Why nothing').click();
  const reasons = reasonsOf('Why nothing');
  await see(reasons, /^We could not load the reasons\./);
  await page.unroute('**/why/*');
  await reasons.getByRole('button', { name: 'Try again' }).click();
  await reasons.getByRole('row', { name: /^Cohort Former of Why .* Archived / }).waitFor();
});

test('R-COHORT-25: the cohorts below the name are links; archived ones are absent', async () => {
  const { page } = staff;
  await lookUp(page, ONE);
  const links = page.getByRole('list', { name: 'Cohorts:' }).getByRole('link');
  await links.first().waitFor();
  expect(await links.allTextContents()).toEqual([ENDED, LIVE]);
  await lookUp(page, ALL);
  await see(lineOf(page, 'Why now'), `Can redeem now, all products, by ${ADMIN_EMAIL}.`);
  expect(await links.count()).toBe(0);
});

test('R-UAC-08: after a code is issued, the sentence says so without a new look-up', async () => {
  const { page } = staff;
  await give(fixture, ONE, 'Why issue', 'WHY-ISSUE-1');
  await lookUp(page, ONE);
  await see(lineOf(page, 'Why issue'), `Can redeem now, given directly by ${ADMIN_EMAIL}.`);
  const path = `/api/admin/user-access/${encodeURIComponent(ONE)}`;
  const calls = staff.countCalls(path);
  await lineOf(page, 'Why issue').getByRole('button', { name: 'Generate Coupon for User' }).click();
  await takeToast(page, 'default', 'Success', 'Coupon generated: WHY-ISSUE-1');
  await see(lineOf(page, 'Why issue'), `Holds a code since ${shown(dayIn(0), 'en-US')}.`);
  expect(staff.countCalls(path)).toBe(calls);
});

test('R-COHORT-25, R-COHORT-18: an unknown address: the sentence has the focus, and similar addresses are looked up by a button', async () => {
  const { page } = staff;
  staff.allowComplaint(/404/);
  const known = ['ida.why@learner.example', 'ida.why+ai@learner.example'];
  const product = await fixture.admin.addProduct({ name: 'Why similar' });
  for (const email of known) await fixture.admin.addLearner(email, product);
  const sentence = page.getByText('Nobody is known by this address.');
  const question = page.getByText('Did they buy with another address?');
  for (const [email, similar] of [
    ['unlike@stranger.example', []],
    ['ida.why@mail.example', known],
  ] as const) {
    await lookUp(page, email);
    await expect.poll(() => hasFocus(sentence)).toBe(true);
    await seeToast(page, 'destructive', 'Error', 'User not found');
    expect(await question.count()).toBe(similar.length > 0 ? 1 : 0);
    const names = await question.locator('+ ul').getByRole('button').allTextContents();
    expect(names.sort()).toEqual([...similar].sort());
  }
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const second = page.getByRole('button', { name: known[1] as string, exact: true });
  expect(await hasFocus(second)).toBe(true);
  await page.keyboard.press('Enter');
  await see(lineOf(page, 'Why similar'), 'Has access, but no code is left.');
  expect(await page.getByLabel('User email').inputValue()).toBe(known[1]);
  expect([await sentence.count(), await question.count()]).toEqual([0, 0]);
  const focused = page.locator(':focus');
  await expect.poll(() => focused.textContent()).toContain(known[1]);
});

test('R-TRAIL-50, R-COHORT-25: the record of a person has the same sentences and reasons', async () => {
  const { page } = staff;
  await page.goto(await findRecord(fixture, ONE));
  const card = page.getByRole('region', { name: 'Access', exact: true });
  await see(card, `Can redeem now, with cohort ${LIVE}.`);
  await whyButton('Why together').click();
  await reasonsOf('Why together').getByRole('row').first().waitFor();
  await page.goto('/admin/users');
  await see(page, 'Existing Users');
});
