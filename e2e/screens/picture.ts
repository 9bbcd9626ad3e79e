// The type of a screenshot, and helpers that several screenshots use.
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';

export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };

export type Picture = {
  name: string;
  options: BrowserContextOptions;
  path: string;
  /** Brings the page into the state for the screenshot. */
  show: (page: Page) => Promise<unknown>;
  /** If set, the screenshot shows only this part of the page, over the full width. */
  part?: (page: Page) => Locator;
  sizes?: Record<string, { width: number; height: number }>;
};

/** Returns a `show` that waits for the first heading with this name. */
export function heading(name: string | RegExp) {
  return (page: Page) => page.getByRole('heading', { name }).first().waitFor();
}

/** Scrolls the page so that `part` is in the middle of the window. */
export function center(part: Locator): Promise<void> {
  return part.evaluate((element) => element.scrollIntoView({ block: 'center' }));
}

export function isPhone(page: Page): boolean {
  return page.viewportSize()?.width === SIZES.phone.width;
}
