// Checks whether a value in memory has expired.

/**
 * True if a value that expires at `untilMs` may still be used. False if more than `longestMs` is left: the value was then
 * stored while the clock was wrong.
 */
export function isFresh(untilMs: number, now: Date, longestMs: number): boolean {
  const leftMs = untilMs - now.getTime();
  return leftMs > 0 && leftMs <= longestMs;
}
