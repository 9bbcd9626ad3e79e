// Provides the number of minutes until a user's code of a product can be regenerated.
import { useSyncExternalStore } from 'react';
import { type Locked, locks } from './regeneration-lock.ts';

/**
 * Returns the minutes until the lock ends, rounded up; 0 if there is no lock. The component renders again when the
 * number changes.
 */
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
