// Records layout shifts: movements of content that no user input caused.
import type { Page } from 'playwright-core';

type Shift = PerformanceEntry & {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null }[];
};

/** Records shifts from the next page load on. Returns a function that lists them, one line for each shift. */
export async function recordShifts(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(keepShifts);
  return () => page.evaluate('layoutShifts');
}

/**
 * From the next page load on, the page gets the replies of the API one after the other, and draws a frame with each. So
 * all states of a slow load are drawn, one by one.
 */
export async function paceReplies(page: Page): Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  await page.route('**/api/**', async (route) => {
    const response = await route.fetch();
    last = last.then(async () => {
      await route.fulfill({ response });
      await page.evaluate(waitForFrames);
    });
    await last;
  });
}

/** Runs in the page. Resolves once what has changed before is drawn. */
function waitForFrames(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** Runs in the page, before the page's own scripts. Appends a line to `window.layoutShifts` for each layout shift. */
function keepShifts(): void {
  const found: string[] = [];
  Object.assign(window, { layoutShifts: found });
  const describe = ({ value, sources }: Shift) => {
    const words = sources.map(({ node }) => `${node?.nodeName} '${node?.textContent?.slice(0, 30)}'`);
    return `${value.toFixed(4)}: ${words.join(', ')}`;
  };
  const observer = new PerformanceObserver((list) => {
    const shifts = (list.getEntries() as Shift[]).filter((shift) => !shift.hadRecentInput);
    found.push(...shifts.map(describe));
  });
  observer.observe({ type: 'layout-shift', buffered: true });
}
