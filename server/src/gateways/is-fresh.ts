// Checks whether a value in memory has expired.

/**
 * Returns true if a value that expires at `untilMs` (Unix time) has not expired. `longestMs` is the time from storing
 * the value to `untilMs`. If more than `longestMs` is left, the clock was ahead when the value was stored, and the
 * result is false.
 */
export function isFresh(untilMs: number, now: Date, longestMs: number): boolean {
  const leftMs = untilMs - now.getTime();
  return leftMs > 0 && leftMs <= longestMs;
}
