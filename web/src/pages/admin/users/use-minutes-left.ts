// Provides the minutes until a user's code of a product can be regenerated again.
import { useSyncExternalStore } from 'react';
import { type Locked, locks } from './regeneration-lock.ts';

/** Returns the minutes left, rounded up, or 0 without a lock. Renders again when the number changes. */
export function useMinutesLeft(what: Locked): number {
  return useSyncExternalStore(follow, () => locks.minutesLeft(what));
}

function follow(tell: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = () => {
    clearTimeout(timer);
    const waitMs = locks.msToChange();
    if (waitMs === null) return;
    timer = setTimeout(() => {
      tell();
      plan();
    }, waitMs + 1);
  };
  const leave = locks.subscribe(() => {
    tell();
    plan();
  });
  plan();
  return () => {
    leave();
    clearTimeout(timer);
  };
}
