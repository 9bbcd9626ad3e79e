import { expect, test } from 'vitest';
import { createTraffic } from './traffic.ts';

test('a page that follows an import is no traffic, learners who redeem are, and each question begins anew', () => {
  const { note, wasBusy } = createTraffic();
  note();
  note();
  expect(wasBusy()).toBe(false);
  for (let request = 0; request < 64; request += 1) note();
  expect(wasBusy()).toBe(true);
  expect(wasBusy()).toBe(false);
});
