import type { Session } from '@supabase/auth-js';
import { expect, test } from 'vitest';
import { isFresh, stateOf } from './session-state.ts';

const NOW_MS = 1_800_000_000_000;
const session = (expires_at?: number) => ({ expires_at, user: { id: 'u', email: 'a@b.example' } }) as Session;

test('a token is used as it is only while it lives for two more minutes', () => {
  expect(isFresh(session(NOW_MS / 1000 + 121), NOW_MS)).toBe(true);
  expect(isFresh(session(NOW_MS / 1000 + 120), NOW_MS)).toBe(false);
  expect(isFresh(session(), NOW_MS)).toBe(false);
  expect(isFresh(null, NOW_MS)).toBe(false);
});

test('a session says who is here, and none that nobody is', () => {
  expect(stateOf(session())).toEqual({ status: 'signed-in', userId: 'u', email: 'a@b.example' });
  expect(stateOf(null)).toEqual({ status: 'signed-out' });
});
