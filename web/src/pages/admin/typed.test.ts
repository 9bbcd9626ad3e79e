import { beforeEach, expect, test } from 'vitest';
import { forgetTyped, keepTyped, readTyped } from './typed.ts';

const HOUR_MS = 3_600_000;
const typed: Parameters<typeof keepTyped>[0] = {
  email: 'noor@example.org',
  path: '/admin/users',
  atMs: 1000,
  fields: [['name', 'Ida']],
};

beforeEach(() => forgetTyped());

test('what was typed is kept for an hour, for the same address and the same page', () => {
  keepTyped(typed);
  const read = (email: string, path: string, nowMs: number) => readTyped(email, path, nowMs);
  expect(read(typed.email, typed.path, 999 + HOUR_MS)).toEqual(typed.fields);
  expect(read(typed.email, typed.path, 1000 + HOUR_MS)).toBeNull();
  expect(read('tomas@example.org', typed.path, 1000)).toBeNull();
  expect(read(typed.email, '/admin/coupons', 1000)).toBeNull();
  forgetTyped();
  expect(read(typed.email, typed.path, 1000)).toBeNull();
});

test('an empty form does not take the place of what was typed before', () => {
  keepTyped(typed);
  keepTyped({ ...typed, fields: [] });
  expect(readTyped(typed.email, typed.path, 1000)).toEqual(typed.fields);
});
