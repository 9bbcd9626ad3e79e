// Checks whether a value in memory has expired.

/**
 * Returns true if a value that expires at `untilMs` (Unix time) has not expired. Returns false also if more than
 * `longestMs` is left until then: the clock was ahead when the value was stored.
 */
export function isFresh(untilMs: number, now: Date, longestMs: number): boolean {
  const leftMs = untilMs - now.getTime();
  return leftMs > 0 && leftMs <= longestMs;
}
