import { expect, test } from 'vitest';
import { cut } from './cut.ts';

test('R-HOME-11, R-PROD-07, R-PROD-08: text up to the limit is unchanged', () => {
  expect(cut('abcde', 5)).toBe('abcde');
  expect(cut('', 5)).toBe('');
});

test('R-HOME-11, R-PROD-07, R-PROD-08: longer text is cut at the limit and gets an ellipsis', () => {
  expect(cut('abcdef', 5)).toBe('abcde…');
});

test('the limit counts characters, not UTF-16 code units', () => {
  expect(cut('🎟🎟🎟', 3)).toBe('🎟🎟🎟');
  expect(cut('🎟🎟🎟', 2)).toBe('🎟🎟…');
});
