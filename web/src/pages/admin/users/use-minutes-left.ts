// How long a user's product waits before its code may be replaced again, as it counts down.
import { useSyncExternalStore } from 'react';
import { type Locked, locks } from './regeneration-lock.ts';

/** Full minutes; 0 when it need not wait. */
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
