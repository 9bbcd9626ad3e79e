import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createToastStore, timeLeft } from './toast-store.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('R-TOAST-01, R-TOAST-02: a newer toast replaces the older', () => {
  const store = createToastStore();
  store.show({ title: 'one' });
  store.show({ title: 'two', variant: 'destructive' });
  expect(store.get()).toMatchObject([{ title: 'two', variant: 'destructive', open: true }]);
});

test('R-TOAST-03: a toast lasts 5000 ms by default', () => {
  const store = createToastStore();
  store.show({ title: 'one' });
  expect(store.get()[0]?.durationMs).toBe(5000);
  store.show({ title: 'two', durationMs: 8000 });
  expect(store.get()[0]?.durationMs).toBe(8000);
});

test('R-TOAST-04: a dismissed toast is closed at once and removed after 1,000,000 ms', () => {
  const store = createToastStore();
  store.show({ title: 'one' });
  const [toast] = store.get();
  store.dismiss(toast?.id ?? 0);
  expect(store.get()).toMatchObject([{ title: 'one', open: false }]);
  vi.advanceTimersByTime(999_999);
  expect(store.get()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(store.get()).toHaveLength(0);
});

test('R-TOAST-01, R-TOAST-04: removing an old toast does not remove the newer one', () => {
  const store = createToastStore();
  store.show({ title: 'one' });
  store.dismiss(store.get()[0]?.id ?? 0);
  store.show({ title: 'two' });
  vi.advanceTimersByTime(1_000_000);
  expect(store.get()).toMatchObject([{ title: 'two', open: true }]);
});

test('R-TOAST-03: a toast that is rendered again keeps the time that is left', () => {
  const store = createToastStore();
  store.show({ title: 'one' });
  const [toast] = store.get();
  if (!toast) throw new Error('there is no toast');
  expect(timeLeft(toast, toast.shownAtMs)).toBe(5000);
  expect(timeLeft(toast, toast.shownAtMs + 2000)).toBe(3000);
  expect(timeLeft(toast, toast.shownAtMs + 60_000)).toBeGreaterThan(0);
});

test('listeners are called after every change until they unsubscribe', () => {
  const store = createToastStore();
  const listener = vi.fn();
  const leave = store.subscribe(listener);
  store.show({ title: 'one' });
  leave();
  store.show({ title: 'two' });
  expect(listener).toHaveBeenCalledTimes(1);
});
