import { expect, test } from 'vitest';
import { secondsOf } from './admin-login.tsx';

test.each([
  ['For security purposes, you can only request this after 43 seconds.', 43],
  ['after 1 second', 1],
  ['Something went wrong', 0],
])('"%s" asks for %i seconds', (words, seconds) => {
  expect(secondsOf(words)).toBe(seconds);
});
