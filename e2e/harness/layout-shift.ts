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
