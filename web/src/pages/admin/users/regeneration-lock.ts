// After a code was replaced, this user's next one for the product waits; in the page's memory only (R-LOCK-01 to R-LOCK-07,
//

const LOCK_MS = 3 * 60_000;
const MINUTE_MS = 60_000;

/** What is locked: one product of one user. */
export type Locked = { email: string; productId: string };

const keyOf = ({ email, productId }: Locked) => `${productId} ${email}`;

/** Makes the locks; the pages share the one below. */
export function createLocks(now: () => number = Date.now) {
  const until = new Map<string, number>();
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    /** Locks for three minutes. */
    lock: (what: Locked) => {
      until.set(keyOf(what), now() + LOCK_MS);
      tell();
    },
    /** Minutes left, rounded up; 0 when it is not locked. */
    minutesLeft: (what: Locked) =>
      Math.max(0, Math.ceil(((until.get(keyOf(what)) ?? 0) - now()) / MINUTE_MS)),
    /** Milliseconds until `minutesLeft` of anything locked changes; null when nothing is. */
    msToChange: () => {
      const left = [...until.values()].map((end) => end - now()).filter((ms) => ms > 0);
      return left.length === 0 ? null : Math.min(...left.map((ms) => ms % MINUTE_MS || MINUTE_MS));
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

export const locks = createLocks();
