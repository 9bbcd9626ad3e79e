import type { Session } from '@supabase/auth-js';
import { expect, test } from 'vitest';
import { isFresh, LOADING, stateAfter } from './auth.ts';

const NOW_MS = 1_800_000_000_000;
const session = (expires_at?: number) => ({ expires_at, user: { id: 'u', email: 'a@b.example' } }) as Session;

test('a token is used without renewal only if it is valid for more than two minutes', () => {
  expect(isFresh(session(NOW_MS / 1000 + 121), NOW_MS)).toBe(true);
  expect(isFresh(session(NOW_MS / 1000 + 120), NOW_MS)).toBe(false);
  expect(isFresh(session(), NOW_MS)).toBe(false);
  expect(isFresh(null, NOW_MS)).toBe(false);
});

const here = { status: 'signed-in', userId: 'u', email: 'a@b.example' } as const;

test('a session gives the state signed-in, no session signed-out', () => {
  expect(stateAfter(LOADING, session(), false)).toEqual(here);
  expect(stateAfter(LOADING, null, false)).toEqual({ status: 'signed-out' });
});

test('a session that expires leaves its address in the state until the next sign-in; a logout does not', () => {
  const ended = stateAfter(here, null, false);
  expect(ended).toEqual({ status: 'signed-out', endedFor: 'a@b.example' });
  expect(stateAfter(ended, null, false)).toEqual(ended);
  expect(stateAfter(ended, session(), false)).toEqual(here);
  expect(stateAfter(here, null, true)).toEqual({ status: 'signed-out' });
  expect(stateAfter(ended, null, true)).toEqual({ status: 'signed-out' });
});
