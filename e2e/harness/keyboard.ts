// Moves the focus with the Tab key and checks that the focus is visible at each stop.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

// More than any page has: a page with a timeline of 20 lines has up to 40 stops below its form.
const MAX_TAB_STOPS = 120;

/**
 * Presses Tab until `target` has the focus. Fails if the focus is invisible at a stop, or `target` is never reached.
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stop = 0; stop < MAX_TAB_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(describeInvisibleFocus)).toBeNull();
    if (await hasFocus(target)) return;
  }
  throw new Error(`Tab never reached ${target}`);
}

export function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}

/**
 * Runs in the page. Returns the HTML of the focused element if its focus is invisible, else null. Invisible means:
 * neither the element nor its card has a focus ring, or the element is off-screen or covered (WCAG 2.2, 2.4.7 and
 * 2.4.11).
 */
function describeInvisibleFocus(): string | null {
  const focused = document.activeElement;
  // No element of the page has the focus: for example, the focus is in the browser's toolbar.
  if (!focused || focused === document.body) return null;
  // Each date field contains a calendar button. While this button has the focus, the field matches `:focus-within` but
  // not `:focus`. The browser draws the button's focus ring, and scripts cannot read the style of this ring.
  if (focused.matches('[type=date]:focus-within:not(:focus)')) return null;
  const hasRing = (element: Element | null) => {
    const { outlineStyle, outlineWidth } = element
      ? getComputedStyle(element)
      : { outlineStyle: 'none', outlineWidth: '0' };
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  };
  const { left, top, right, bottom } = focused.getBoundingClientRect();
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
  const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
  const front = document.elementFromPoint(x, y);
  const isInFront = front !== null && (focused.contains(front) || front.contains(focused));
  // If the focused element is the link of a card, the card shows the focus ring instead of the link.
  if (isInFront && [focused, focused.closest('article')].some(hasRing)) return null;
  return focused.outerHTML.slice(0, 200);
}
