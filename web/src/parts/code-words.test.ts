import { expect, test } from 'vitest';
import { explainCodeError } from './code-words.ts';

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
