// A person without a mouse, who looks where the focus is.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const MORE_STOPS_THAN_A_PAGE_HAS = 80;

/** Presses Tab until `target` has the focus, as a person looking for it does; each stop on the way must be seen. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stop = 0; stop < MORE_STOPS_THAN_A_PAGE_HAS; stop += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(describeUnseenFocus)).toBeNull();
    if (await hasFocus(target)) return;
  }
  throw new Error(`Tab never reached ${target}`);
}

export function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}

/**
 * In the browser: what has the focus and cannot be seen to have it, because it, or all that stands for it, has no ring,
 * or lies outside of the window or under something else (WCAG 2.2, 2.4.7 and 2.4.11).
 */
function describeUnseenFocus(): string | null {
  const focused = document.activeElement;
  // The browser's own controls count as the body.
  if (!focused || focused === document.body) return null;
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
  // A card wears the ring of the link that stands for it.
  if (isInFront && [focused, focused.closest('article')].some(hasRing)) return null;
  return focused.outerHTML.slice(0, 200);
}
