// Tests that the ticket has the same height in every state, in windows of several widths, so that nothing below it
// moves.
import { expect, test } from 'vitest';
import { arriveSignedIn, openPerson, see } from './harness/browser.ts';
import { offerProduct, setFixture } from './harness/fixture.ts';

const CODE = 'ALDR-7QXK-42ZP';

const fixture = setFixture();

test.each([320, 360, 390, 768])(
  'at %d px the ticket has the same height: idle, issued, copied, sold out, refused',
  async (width) => {
    const email = `height${width}@learner.example`;
    const product = await offerProduct(fixture, { learners: [email], codes: [CODE] });
    const emptyProduct = await offerProduct(fixture, { learners: [email] });
    const foreignProduct = await offerProduct(fixture, {});
    const person = await openPerson(fixture, { viewport: { width, height: 900 } });
    person.allowComplaint(/409|403/);
    const { page } = person;
    const ticket = page.getByRole('region', { name: 'Your coupon' });
    const measure = async () => (await ticket.boundingBox())?.height;

    await page.goto(`/product/${product.product_id}`);
    await see(page, 'Redeem Now');
    const height = await measure();
    expect(await ticket.evaluate(differenceOfWidths)).toBeLessThan(0.1);
    await arriveSignedIn(person, fixture, email, `/product/${product.product_id}`);
    await see(page, CODE);
    expect(await measure(), 'issued').toBe(height);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await see(page, 'Copied');
    expect(await measure(), 'copied').toBe(height);
    await page.goto(`/product/${emptyProduct.product_id}`);
    await see(page, 'No codes left');
    expect(await measure(), 'sold out').toBe(height);
    await page.goto(`/product/${foreignProduct.product_id}`);
    await see(page, 'Sorry, access is restricted!');
    expect(await measure(), 'refused').toBe(height);
  },
);

/**
 * Runs in the page. 100 times `--per-cent` (ticket.module.css) should equal the inner width of the ticket's main piece.
 * Returns the difference in pixels.
 */
function differenceOfWidths(ticket: Element): number {
  const main = ticket.querySelector(':scope > div') as HTMLElement;
  const ruler = main.appendChild(document.createElement('i'));
  ruler.style.cssText = 'position: absolute; width: calc(100 * var(--per-cent))';
  const { width } = ruler.getBoundingClientRect();
  ruler.remove();
  const { paddingLeft, paddingRight } = getComputedStyle(main);
  return Math.abs(
    main.getBoundingClientRect().width -
      Number.parseFloat(paddingLeft) -
      Number.parseFloat(paddingRight) -
      width,
  );
}
