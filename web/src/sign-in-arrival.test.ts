import { expect, test } from 'vitest';
import { readArrival } from './sign-in-arrival.ts';

test('R-CB-01, R-SESS-03: a session in the fragment and the return path in the query', () => {
  const arrival = readArrival({
    hash: '#access_token=a.b.c&expires_in=3600&refresh_token=r&token_type=bearer&type=magiclink',
    search: '?next=%2Fproduct%2F7&request=n',
  });
  expect(arrival).toEqual({
    tokens: { access_token: 'a.b.c', refresh_token: 'r' },
    error: null,
    next: '/product/7',
  });
});

test('R-CB-11: the message for an expired link', () => {
  const hash =
    '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired';
  expect(readArrival({ hash, search: '' }).error).toBe('Email link is invalid or has expired');
});

test('R-CB-11: an error without a description still has a message', () => {
  expect(readArrival({ hash: '#error=server_error', search: '' }).error).toMatch(/request a new link/);
  expect(readArrival({ hash: '', search: '?error_code=x' }).error).toMatch(/request a new link/);
});

test('a long error description in the address is shortened', () => {
  const hash = `#error=x&error_description=${'Call us '.repeat(100)}`;
  expect(readArrival({ hash, search: '' }).error).toHaveLength(160);
});

test('R-CB-01: an access token without a refresh token is not a session', () => {
  expect(readArrival({ hash: '#access_token=a', search: '' }).tokens).toBeNull();
});
