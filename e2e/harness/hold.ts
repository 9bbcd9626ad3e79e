// Delays requests and timers of a page until the test releases them, so that short-lived states can be tested.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Delays requests to `address`. Returns a function that sends the delayed requests and stops delaying. */
export async function holdCalls(page: Page, address: string | RegExp): Promise<() => void> {
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(address, async (route) => {
    await held;
    await route.continue();
  });
  return letThrough;
}

/**
 * From the next page load on, holds timers of exactly `delayMs` until the test releases them. So a test can check
 * whether the page waits for such a timer: before the release, the awaited effect must not happen.
 */
export async function holdTimers(page: Page, delayMs: number) {
  await page.addInitScript((heldMs) => {
    const start = window.setTimeout;
    const stop = window.clearTimeout;
    const held = new Map<number, () => void>();
    let lastId = 1_000_000_000;
    const release = () => {
      const due = [...held.values()];
      held.clear();
      for (const run of due) run();
    };
    Object.assign(window, {
      setTimeout: (run: () => void, ms?: number, ...rest: unknown[]) => {
        if (ms !== heldMs) return start(run, ms, ...rest);
        lastId += 1;
        held.set(lastId, run);
        return lastId;
      },
      clearTimeout: (id?: number) => {
        if (!held.delete(id ?? 0)) stop(id);
      },
      countHeldTimers: () => held.size,
      releaseTimers: release,
    });
  }, delayMs);
  return {
    /** Waits until the page has started at least one timer of `delayMs`. */
    waitForOne: () => expect.poll(() => page.evaluate('countHeldTimers()')).toBeGreaterThan(0),
    release: () => page.evaluate('releaseTimers()'),
  };
}
