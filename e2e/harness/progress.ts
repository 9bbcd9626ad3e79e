// Waits for a long operation that reports its progress as a number.
import { setTimeout as delay } from 'node:timers/promises';

const STEP_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

/**
 * Waits until `read` resolves to at least `goal`. Throws if the number that `read` returns does not grow for 30
 * seconds. `everyMs` is the time between two reads; it must be longer if a read is expensive.
 */
export async function waitForProgress(
  read: () => Promise<number>,
  goal: number,
  { everyMs = POLL_MS } = {},
): Promise<void> {
  let highest = Number.NEGATIVE_INFINITY;
  let grewAtMs = performance.now();
  for (;;) {
    const value = await read();
    if (value >= goal) return;
    if (value > highest) grewAtMs = performance.now();
    highest = Math.max(highest, value);
    if (performance.now() - grewAtMs > STEP_TIMEOUT_MS)
      throw new Error(`${highest} of ${goal}, and no progress for ${STEP_TIMEOUT_MS / 1000} seconds`);
    await delay(everyMs);
  }
}
