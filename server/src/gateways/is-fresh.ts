// Compares the time until which a value is kept in memory with the clock.

/**
 * True if a value that is kept until `untilMs` may still be used. False if that is further away than `longestMs`: the
 * clock was ahead when the value was stored, and was put right since.
 */
export function isFresh(untilMs: number, now: Date, longestMs: number): boolean {
  const leftMs = untilMs - now.getTime();
  return leftMs > 0 && leftMs <= longestMs;
}
