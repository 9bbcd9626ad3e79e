// After an administrator has regenerated a code, locks another regeneration for the same user and product for three
// minutes. The lock exists only in the memory of the page (R-LOCK-01 to R-LOCK-07, A-62).

const LOCK_MS = 3 * 60_000;
const MINUTE_MS = 60_000;

/** Names a lock: each lock is for one product of one user. */
export type Locked = { email: string; productId: string };

const keyOf = ({ email, productId }: Locked) => `${productId} ${email}`;

/** Creates a store of locks. All pages share `locks`; each test creates its own store with another clock. */
export function createLocks(now: () => number = Date.now) {
  const until = new Map<string, number>();
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    /** Locks another regeneration for this user and product for three minutes, and calls the subscribers. */
    lock: (what: Locked) => {
      until.set(keyOf(what), now() + LOCK_MS);
      tell();
    },
    /** Returns the minutes until the lock ends, rounded up. Returns 0 if there is no lock. */
    minutesLeft: (what: Locked) =>
      Math.max(0, Math.ceil(((until.get(keyOf(what)) ?? 0) - now()) / MINUTE_MS)),
    /** Returns the milliseconds until `minutesLeft` changes next for any lock. Returns null if there are no locks. */
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
