// Tests the format of refresh tokens. Each token is derived from a session and a counter, and no other text is
// accepted.
import { describe, expect, test } from 'vitest';
import { readRefreshToken, writeRefreshToken } from './tokens.ts';

const KEY = Buffer.alloc(32, 7);
const SESSION = { session_id: '0b5f7c1e-93a4-4d52-8a17-5d2f0c9be611', counter: 0 };

test.each([0, 1, 2 ** 31, 2 ** 48 - 1])('reads back session and counter %d', (counter) => {
  const token = writeRefreshToken(KEY, { ...SESSION, counter });
  expect(readRefreshToken(KEY, token)).toEqual({ ...SESSION, counter });
});

test('is the same text for the same session and counter, and different for any other', () => {
  const tokens = [
    writeRefreshToken(KEY, SESSION),
    writeRefreshToken(KEY, SESSION),
    writeRefreshToken(KEY, { ...SESSION, counter: 1 }),
    writeRefreshToken(KEY, { ...SESSION, session_id: SESSION.session_id.replace('0', '1') }),
    writeRefreshToken(Buffer.alloc(32, 8), SESSION),
  ];
  expect(tokens[0]).toBe(tokens[1]);
  expect(new Set(tokens).size).toBe(4);
});

describe('is refused', () => {
  test('with any character changed', () => {
    const token = writeRefreshToken(KEY, SESSION);
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const answer = readRefreshToken(KEY, token.slice(0, at) + other + token.slice(at + 1));
      expect(['malformed', 'forged']).toContain(answer);
    }
  });

  test('when another key made it', () => {
    expect(readRefreshToken(KEY, writeRefreshToken(Buffer.alloc(32, 8), SESSION))).toBe('forged');
  });
});
