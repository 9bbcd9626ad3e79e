import { expect, test, vi } from 'vitest';
import { createLocks } from './access-item.tsx';

const ada = () => ({ email: 'ada@example.org', productId: 'p' });

function setUp() {
  const clock = { now: 1_000_000 };
  return { clock, locks: createLocks(() => clock.now) };
}

test('R-LOCK-01, R-LOCK-02, R-LOCK-05: the product of a user is locked for three minutes, counted in full minutes', () => {
  const { clock, locks } = setUp();
  locks.lock(ada());
  expect(locks.minutesLeft(ada())).toBe(3);
  clock.now += 60_000;
  expect(locks.minutesLeft(ada())).toBe(2);
  clock.now += 119_999;
  expect(locks.minutesLeft(ada())).toBe(1);
  clock.now += 1;
  expect(locks.minutesLeft(ada())).toBe(0);
});

test('R-LOCK-06, A-62: other products stay free, and the same product for other users', () => {
  const { locks } = setUp();
  locks.lock(ada());
  expect(locks.minutesLeft(ada())).toBe(3);
  expect(locks.minutesLeft({ ...ada(), productId: 'q' })).toBe(0);
  expect(locks.minutesLeft({ ...ada(), email: 'bob@example.org' })).toBe(0);
});

test('the next change of the minutes is known, so that nothing has to tick', () => {
  const { clock, locks } = setUp();
  expect(locks.msToChange()).toBeNull();
  locks.lock(ada());
  expect(locks.msToChange()).toBe(60_000);
  clock.now += 45_000;
  expect(locks.msToChange()).toBe(15_000);
  clock.now += 135_000;
  expect(locks.msToChange()).toBeNull();
});

test('who listens hears of a new lock', () => {
  const { locks } = setUp();
  const listener = vi.fn();
  locks.subscribe(listener)();
  locks.subscribe(listener);
  locks.lock(ada());
  expect(listener).toHaveBeenCalledTimes(1);
});
