import { expect, test } from 'vitest';
import { cut } from './cut.ts';

test('R-HOME-11, R-PROD-07, R-PROD-08: text up to the limit stays as it is', () => {
  expect(cut('abcde', 5)).toBe('abcde');
  expect(cut('', 5)).toBe('');
});

test('R-HOME-11, R-PROD-07, R-PROD-08: longer text gives exactly the limit and an ellipsis', () => {
  expect(cut('abcdef', 5)).toBe('abcde…');
});

test('characters are counted, not UTF-16 halves', () => {
  expect(cut('🎟🎟🎟', 3)).toBe('🎟🎟🎟');
  expect(cut('🎟🎟🎟', 2)).toBe('🎟🎟…');
});
