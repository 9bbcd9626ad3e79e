import { expect, test } from 'vitest';
import { explainCodeError, wordsOf } from './form.tsx';

test('a wrong or expired code, and a lost connection, each have a plain error message', () => {
  const wrong = Object.assign(new Error('Token has expired or is invalid'), { code: 'otp_expired' });
  expect(explainCodeError(wrong)).toMatch(/wrong or has expired/);
  expect(explainCodeError(new TypeError('Failed to fetch'))).toBe(
    'We could not check the code. Please try again.',
  );
});

test('another error is shown with the message of the sign-in service', () => {
  expect(explainCodeError(new Error('Too many attempts'))).toBe('Too many attempts');
});

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

test("R-VAL-03, R-VAL-05: the service's own words are shown", () => {
  expect(wordsOf(named('AuthApiError', 'Please wait 42 seconds'), 'fallback')).toBe('Please wait 42 seconds');
});

test.each([
  ['no message', new Error('')],
  ['an empty body', named('AuthApiError', '{}')],
  ['no connection', named('AuthRetryableFetchError', 'Failed to fetch')],
  ['a response that is not JSON', named('AuthUnknownError', 'Unexpected token <')],
  ['a failed load', new TypeError('Failed to fetch dynamically imported module')],
  ['not an error', 'text'],
])('R-VAL-04, R-VAL-05: %s gives the fallback', (_title, error) => {
  expect(wordsOf(error, 'fallback')).toBe('fallback');
});
