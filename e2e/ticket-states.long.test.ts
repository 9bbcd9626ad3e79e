// Checks each state of a card and of the ticket for accessibility and layout defects, for its height and for console
// errors, in English and in German.
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, openPerson, type Person } from './harness/browser.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { offerProduct, setScene } from './harness/scene.ts';
import { changeDays, dayIn, FAR, LONG_AGO, refuseRedemptions, showCards } from './harness/states.ts';

const LEARNER = 'states@learner.example';
const CODE = 'TQWL-7K4M-92XF';
const LOCALES = ['en-GB', 'de-DE'];
const WIDTHS = [320, 360, 390, 768];

const scene = setScene();
let product: Awaited<ReturnType<typeof offerProduct>>;

beforeAll(async () => {
  product = await offerProduct(scene, { learners: [LEARNER], codes: [CODE] });
});

const states: [string, ({ page }: Person) => Promise<void>][] = [
  ['not open', ({ page }) => refuseRedemptions(page, 'product_not_open', FAR)],
  ['access not started', ({ page }) => refuseRedemptions(page, 'access_not_started', FAR)],
  ['paused', ({ page }) => refuseRedemptions(page, 'product_paused')],
  ['ended', ({ page }) => refuseRedemptions(page, 'product_ended')],
  ['access ended', ({ page }) => refuseRedemptions(page, 'access_ended', LONG_AGO)],
  ['withdrawn', ({ page }) => refuseRedemptions(page, 'code_revoked')],
  ['issued', ({ page }) => changeDays(page, {})],
  ['with a last day', ({ page }) => changeDays(page, { use_by: FAR })],
  ['in the last week', ({ page }) => changeDays(page, { use_by: dayIn(3) })],
  ['after the last day', ({ page }) => changeDays(page, { use_by: LONG_AGO })],
  ['replaced', ({ page }) => changeDays(page, { use_by: FAR, replaced_on: dayIn(-1) })],
];

test.each(states)(
  'R-LIFE-36: a ticket that is %s has no defect, and in English the same height as others',
  async (_name, set) => {
    for (const locale of LOCALES) {
      const person = await openPerson(scene, { locale });
      person.allowComplaint(/409/);
      const { page } = person;
      await set(person);
      await arriveSignedIn(person, scene, LEARNER, `/product/${product.product_id}`);
      const ticket = page.getByRole('region', { name: /Your coupon|Ihr Gutschein/ });
      await ticket.locator('h2, #code').waitFor();
      await expectNoDefect(page);
      if (locale !== 'en-GB') continue;
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const height = (await ticket.boundingBox())?.height;
        expect(height, `at ${width} px`).toBe(width < 768 ? 352 : 248);
      }
    }
  },
);

test.each(LOCALES)('R-LIFE-35: cards in every state have no defect in %s', async (locale) => {
  const person = await openPerson(scene, { locale });
  await showCards(person.page, [product]);
  await arriveSignedIn(person, scene, LEARNER);
  await person.page.getByRole('article').first().waitFor();
  await expectNoDefect(person.page);
});
