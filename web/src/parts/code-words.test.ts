import { expect, test } from 'vitest';
import { explainCodeError } from './code-words.ts';

test('a wrong or old code is said in plain words, and so is a lost connection', () => {
  const wrong = Object.assign(new Error('Token has expired or is invalid'), { code: 'otp_expired' });
  expect(explainCodeError(wrong)).toMatch(/wrong or has expired/);
  expect(explainCodeError(new TypeError('Failed to fetch'))).toBe(
    'We could not check the code. Please try again.',
  );
});

test('another refusal is said in the words of the service', () => {
  expect(explainCodeError(new Error('Too many attempts'))).toBe('Too many attempts');
});
