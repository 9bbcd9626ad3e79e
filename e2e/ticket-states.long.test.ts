// Checks each state of a card and of the ticket for accessibility and layout defects, for its height and for console
// errors, in English and in German.
import { beforeAll, expect, test } from 'vitest';
import { arriveSignedIn, openPerson, type Person } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';
import { expectNoDefect } from './harness/page-defects.ts';
import { changeDays, dayIn, FAR, LONG_AGO, refuseRedemptions, showCards } from './harness/states.ts';

const LEARNER = 'states@learner.example';
const CODE = 'TQWL-7K4M-92XF';
const LOCALES = ['en-GB', 'de-DE'];
const WIDTHS = [320, 360, 390, 768];
/** A day with a long name in English and in German. */
const LONG_DAY = '2999-09-30';

const fixture = setFixture();
let product: Awaited<ReturnType<typeof offerProduct>>;

beforeAll(async () => {
  product = await offerProduct(fixture, { learners: [LEARNER], codes: [CODE] });
});

const states: [string, ({ page }: Person) => Promise<void>][] = [
  ['not open', ({ page }) => refuseRedemptions(page, 'product_not_open', FAR)],
  ['access not started', ({ page }) => refuseRedemptions(page, 'access_not_started', FAR)],
  ['paused', ({ page }) => refuseRedemptions(page, 'product_paused')],
  ['ended', ({ page }) => refuseRedemptions(page, 'product_ended')],
  ['access ended', ({ page }) => refuseRedemptions(page, 'access_ended', LONG_AGO)],
  ['withdrawn', ({ page }) => refuseRedemptions(page, 'code_revoked')],
  ['issued', ({ page }) => changeDays(page, {})],
  ['with a last day', ({ page }) => changeDays(page, { use_by: LONG_DAY })],
  ['in the last week', ({ page }) => changeDays(page, { use_by: dayIn(3) })],
  ['after the last day', ({ page }) => changeDays(page, { use_by: LONG_AGO })],
  ['replaced', ({ page }) => changeDays(page, { use_by: LONG_DAY, replaced_on: dayIn(-1) })],
  [
    'replaced, in the last week',
    ({ page }) => changeDays(page, { use_by: dayIn(3), replaced_on: dayIn(-1) }),
  ],
];

test.each(states)(
  'R-LIFE-36: a ticket that is %s has no defect and the same height as others, in English and in German',
  async (_name, set) => {
    for (const locale of LOCALES) {
      const person = await openPerson(fixture, { locale });
      person.allowComplaint(/409/);
      const { page } = person;
      await set(person);
      await arriveSignedIn(person, fixture, LEARNER, `/product/${product.product_id}`);
      const ticket = page.getByRole('region', { name: /Your coupon|Ihr Gutschein/ });
      await ticket.locator('h2, #code').waitFor();
      await expectNoDefect(page);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const height = (await ticket.boundingBox())?.height;
        expect(height, `${locale} at ${width} px`).toBe(width < 768 ? 352 : 248);
        expect(await ticket.evaluate(countDotsAtLineEnds), `${locale} at ${width} px`).toBe(0);
      }
    }
  },
);

test.each(LOCALES)('R-LIFE-35: cards in every state have no defect in %s', async (locale) => {
  const person = await openPerson(fixture, { locale });
  await showCards(person.page, [product]);
  await arriveSignedIn(person, fixture, LEARNER);
  await person.page.getByRole('article').first().waitFor();
  await expectNoDefect(person.page);
});

/** Runs in the page. Returns how many lines of the ticket begin or end with a visible dot. */
function countDotsAtLineEnds(ticket: Element): number {
  const { left } = (ticket.firstElementChild?.firstElementChild ?? ticket).getBoundingClientRect();
  const texts = document.createTreeWalker(ticket, NodeFilter.SHOW_TEXT);
  const signs: { sign: string; box: DOMRect }[] = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (const [index, sign] of [...(text.nodeValue ?? '')].entries()) {
      const range = new Range();
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      const box = range.getBoundingClientRect();
      if (sign.trim() && box.width > 0 && box.right > left + 1) signs.push({ sign, box });
    }
  }
  const areOnOneLine = (one: DOMRect, other: DOMRect) => one.top < other.bottom && other.top < one.bottom;
  return signs.filter(({ sign, box }) => {
    const line = signs.filter((other) => areOnOneLine(other.box, box));
    return (
      sign === '·' &&
      (line.every((other) => other.box.left <= box.left) || line.every((other) => other.box.left >= box.left))
    );
  }).length;
}
