// Moments that pass too fast to be seen: what a page waits for is kept back until the test lets it go.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Keeps calls to `address` from the server; answers how to let them through. */
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
 * From the next load on, keeps back what the page wants to do after exactly `delayMs`, for ever if need be: what
 * happens nevertheless has not waited, or for another time.
 */
export async function holdTimers(page: Page, delayMs: number) {
  await page.addInitScript((heldMs) => {
    const start = window.setTimeout;
    const stop = window.clearTimeout;
    const held = new Map<number, () => void>();
    let lastId = 1_000_000_000;
    const letGo = () => {
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
      letTimersGo: letGo,
    });
  }, delayMs);
  return {
    /** Waits until something is kept back. */
    waitForOne: () => expect.poll(() => page.evaluate('countHeldTimers()')).toBeGreaterThan(0),
    letGo: () => page.evaluate('letTimersGo()'),
  };
}
