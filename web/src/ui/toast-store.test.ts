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

test('R-TOAST-03: a toast lasts 5000 ms unless told otherwise', () => {
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

test('R-TOAST-01, R-TOAST-04: removing an old toast leaves the newer one alone', () => {
  const store = createToastStore();
  store.show({ title: 'one' });
  store.dismiss(store.get()[0]?.id ?? 0);
  store.show({ title: 'two' });
  vi.advanceTimersByTime(1_000_000);
  expect(store.get()).toMatchObject([{ title: 'two', open: true }]);
});

test('R-TOAST-03: a toast that is drawn again goes on with its time', () => {
  const store = createToastStore();
  store.show({ title: 'one' });
  const [toast] = store.get();
  if (!toast) throw new Error('there is no toast');
  expect(timeLeft(toast, toast.shownAtMs)).toBe(5000);
  expect(timeLeft(toast, toast.shownAtMs + 2000)).toBe(3000);
  expect(timeLeft(toast, toast.shownAtMs + 60_000)).toBeGreaterThan(0);
});

test('listeners hear of every change until they leave', () => {
  const store = createToastStore();
  const listener = vi.fn();
  const leave = store.subscribe(listener);
  store.show({ title: 'one' });
  leave();
  store.show({ title: 'two' });
  expect(listener).toHaveBeenCalledTimes(1);
});
