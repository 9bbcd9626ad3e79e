// Slows down imports and other work in batches while the portal serves many calls, so that learners keep their
// throughput.

/** Dependencies of work that pauses between its parts. */
export type PauseTools = {
  /** Resolves after `ms` milliseconds. */
  pause: (ms: number) => Promise<unknown>;
  /**
   * Returns the number of API calls that this process has served. The work pauses only while calls are frequent.
   * `countCalls` is null if other processes on this machine may serve calls too. The work then always pauses.
   */
  countCalls: (() => number) | null;
};

/** Dependencies of imports and other work in batches. */
export type WorkTools = PauseTools & {
  now: () => Date;
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
  /**
   * Returns true if the process was told to stop. The work then stops after its current batch, and continues after the
   * restart.
   */
  isStopping: () => boolean;
};

// The work pauses this many milliseconds for each millisecond of work. With 1.75, other calls keep more than half of
// their usual throughput.
const PAUSE_RATIO = 1.75;
// The work pauses if this process serves more API calls a second than this. A web page that shows an import makes only
// one call a second; learners who redeem make tens of calls a second.
const BUSY_CALLS_A_SECOND = 10;

/**
 * Returns a function that the work calls after each batch. The function pauses if other calls are frequent, and then
 * resolves.
 */
export function createPauses({ pause, countCalls }: PauseTools): () => Promise<void> {
  let startedMs = performance.now();
  let last = { atMs: startedMs, calls: countCalls?.() ?? 0 };
  return async () => {
    const atMs = performance.now();
    // Counts the calls since the end of the last batch, including the calls during the pause. On the embedded engine,
    // no call is served while a batch is written, so all calls come during the pause.
    const calls = countCalls?.() ?? 0;
    const callsASecond = (calls - last.calls) / ((atMs - last.atMs) / 1000);
    const isBusy = countCalls === null || callsASecond > BUSY_CALLS_A_SECOND;
    last = { atMs, calls };
    await pause(isBusy ? (atMs - startedMs) * PAUSE_RATIO : 0);
    startedMs = performance.now();
  };
}
