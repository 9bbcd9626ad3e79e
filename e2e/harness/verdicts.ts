// Sets up learners with a product for each verdict about access, and lists the sentence of each verdict.
import {
  addMembers,
  createCohort,
  createGrants,
  editCohort,
  listCoupons,
  type Product,
  revokeCoupon,
  withdrawGrant,
} from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { openCard } from './admin-pages.ts';
import type { Fixture } from './fixture.ts';
import { ADMIN_EMAIL } from './portal.ts';
import { edit, setStatus } from './products.ts';
import { dayIn } from './states.ts';
import { wordsIn } from './words.ts';

/** `one` has a product for each verdict, `all` has access to all products. Each test file needs its own addresses. */
export type Learners = { one: string; all: string };

export const ENDED = 'Autumn of Why';
const ARCHIVED = 'Former of Why';
export const LIVE = 'Spring of Why';
export const OPENS = dayIn(20);
export const CLOSED = dayIn(-3);

/** Adds a product with codes, and gives the learner with this address access to it. */
export async function give(
  { admin }: Pick<Fixture, 'admin'>,
  email: string,
  name: string,
  ...codes: string[]
): Promise<Product> {
  const product = await admin.addProduct({ name });
  await admin.addCodes(product, ...codes);
  await admin.giveAccess(email, product, {});
  return product;
}

/** Adds the learners, with their products and cohorts. */
export async function addVerdicts(fixture: Fixture, { one, all }: Learners): Promise<void> {
  const { admin } = fixture;
  for (const email of [one, all])
    await admin.addLearner(email, await admin.addProduct({ name: `Other of ${email}` }));

  await admin.giveCode(one, await give(fixture, one, 'Why held', 'WHY-HELD-1'));
  await admin.giveCode(one, await give(fixture, one, 'Why revoked', 'WHY-REVOKED-1'));
  const coupons = await admin.call(listCoupons, {});
  const id = coupons.find(({ coupon_code }) => coupon_code === 'WHY-REVOKED-1')?.id ?? '';
  await admin.call(revokeCoupon, { params: { id }, body: { reason: 'shared in a forum' } });

  await addCohort(fixture, one, ARCHIVED, await admin.addProduct({ name: 'Why nothing' }));
  const over = await admin.addProduct({ name: 'Why over' });
  await addCohort(fixture, one, ENDED, over, { starts_on: dayIn(-30), ends_on: dayIn(-1) });
  const together = await admin.addProduct({ name: 'Why together' });
  await admin.addCodes(together, 'WHY-1', 'WHY-2');
  await addCohort(fixture, one, LIVE, together, { ends_on: dayIn(40) });

  const later = await admin.addProduct({ name: 'Why later' });
  await admin.giveAccess(one, later, { starts_on: OPENS });
  const { product_id } = await admin.addProduct({ name: 'Why removed' });
  const given = await admin.call(createGrants, { body: { email: one, product_ids: [product_id] } });
  for (const grant of given.grants) {
    const body = { reason: 'left the course', revoke_code: false };
    await admin.call(withdrawGrant, { params: { id: grant.id }, body });
  }
  await setStatus(fixture, await give(fixture, one, 'Why paused'), 'paused');
  await edit(fixture, await give(fixture, one, 'Why scheduled'), { opens_on: OPENS });
  await edit(fixture, await give(fixture, one, 'Why ended'), { closes_on: CLOSED });
  await give(fixture, one, 'Why sold out');
  await give(fixture, one, 'Why now', 'WHY-NOW-1');
  await admin.giveAccess(all, 'all', {});
}

/** Creates a cohort that gives the product, with the learner in it. The cohort `ARCHIVED` is then archived. */
async function addCohort(
  { admin }: Fixture,
  email: string,
  name: string,
  { product_id }: Product,
  days: { starts_on?: string; ends_on?: string } = {},
): Promise<void> {
  const body = { name, note: null, product_ids: [product_id], ...days };
  const { cohort_id: id, version } = await admin.call(createCohort, { body });
  await admin.call(addMembers, { params: { id }, body: { emails: [email] } });
  if (name !== ARCHIVED) return;
  await admin.call(editCohort, {
    params: { id },
    body: { name, note: null, archived: true, version, expected: 1000 },
  });
}

/** Opens the access card and looks the address up there, in any language. */
export async function lookUp(page: Page, email: string): Promise<void> {
  const t = wordsIn(await page.evaluate(() => document.documentElement.lang));
  await openCard(page, t('User Access Management'));
  const form = page.locator('form').first();
  // The form accepts no input while it looks up the previous address.
  await form.locator('button:not([aria-busy])').waitFor();
  await form.locator('input[type=email]').fill(email);
  await page.keyboard.press('Enter');
}

/** Returns the list item of the product with this name on the access card. */
export function lineOf(page: Page, name: string): Locator {
  return page.getByRole('main').getByRole('listitem').filter({ hasText: name });
}

/** Formats a day (YYYY-MM-DD) as the page shows it in this language. */
export function shown(day: string, locale: string): string {
  return new Date(day).toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

/** The product's name, the look of the line, the day in the sentence, and the sentence of each verdict. */
export const VERDICTS: [name: string, look: string, day: string, en: string, de: string][] = [
  ['Why held', 'yes', dayIn(0), 'Holds a code since {day}.', 'Hat seit dem {day} einen Code.'],
  [
    'Why revoked',
    'no',
    dayIn(0),
    'The code was revoked on {day}: shared in a forum.',
    'Der Code wurde am {day} zurückgezogen: shared in a forum.',
  ],
  [
    'Why nothing',
    'none',
    '',
    'No grant names this product, for this person or any of their cohorts.',
    'Für dieses Produkt gibt es keinen Zugang, weder für diese Person noch für eine ihrer Gruppen.',
  ],
  [
    'Why later',
    'wait',
    OPENS,
    `Access begins on {day}, given directly by ${ADMIN_EMAIL}.`,
    `Der Zugang beginnt am {day}, direkt erteilt von ${ADMIN_EMAIL}.`,
  ],
  [
    'Why over',
    'no',
    dayIn(-1),
    `Access ended on {day}, with cohort ${ENDED}.`,
    `Der Zugang endete am {day}, erteilt durch die Gruppe ${ENDED}.`,
  ],
  [
    'Why removed',
    'no',
    dayIn(0),
    `Access was removed on {day} by ${ADMIN_EMAIL}: left the course.`,
    `Der Zugang wurde am {day} von ${ADMIN_EMAIL} entzogen: left the course.`,
  ],
  [
    'Why paused',
    'wait',
    dayIn(0),
    'Has access, but the product is paused since {day}.',
    'Hat Zugang, aber das Produkt ist seit dem {day} pausiert.',
  ],
  [
    'Why scheduled',
    'wait',
    OPENS,
    'Has access; redeeming opens on {day}.',
    'Hat Zugang; das Einlösen beginnt am {day}.',
  ],
  [
    'Why ended',
    'wait',
    CLOSED,
    'Has access, but redeeming closed on {day}.',
    'Hat Zugang, aber das Einlösen endete am {day}.',
  ],
  [
    'Why sold out',
    'wait',
    '',
    'Has access, but no code is left.',
    'Hat Zugang, aber es ist kein Code mehr frei.',
  ],
  [
    'Why now',
    'yes',
    '',
    `Can redeem now, given directly by ${ADMIN_EMAIL}.`,
    `Kann jetzt einlösen, direkt erteilt von ${ADMIN_EMAIL}.`,
  ],
  [
    'Why together',
    'yes',
    '',
    `Can redeem now, with cohort ${LIVE}.`,
    `Kann jetzt einlösen, erteilt durch die Gruppe ${LIVE}.`,
  ],
];
