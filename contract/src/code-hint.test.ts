// Tests the hints of hidden codes at their boundaries, and with separators and other scripts.
import { expect, test } from 'vitest';
import { findSuffix, maskCode } from './codes.ts';

test.each([
  ['', null],
  ['1234567', null],
  ['12345678', '78'],
  ['12345678901', '01'],
  ['123456789012', '9012'],
  [`${'X'.repeat(251)}K5M7`, 'K5M7'],
])('R-IMP-40: codes of 8 characters have a hint of 2, codes of 12 a hint of 4: %s', (code, hint) => {
  expect(findSuffix(code)).toBe(hint);
});

test.each([
  // Seven, eleven and twelve letters and digits.
  ['ABC-1234', null],
  ['---ABC-1234---', null],
  ['ABCD-1234-XYZ', 'YZ'],
  ['TQWL-7K4M-92XF', '92XF'],
  ['ABCDEFGHI-J-K-L', 'I-J-K-L'],
  ['ABCDEFGHIJKL--', 'IJKL'],
  ['ABC_DEF GHI.JKL/', 'I.JKL'],
  ['🎁🎁🎁🎁🎁🎁🎁🎁🎁🎁🎁🎁', null],
])(
  'R-IMP-40, R-DAY-38: only letters and digits are counted; other signs between them stand as in the code: %s',
  (code, hint) => {
    expect(findSuffix(code)).toBe(hint);
  },
);

test.each([
  ['ΑΒΓΔΕΖΗ', null],
  ['ΑΒΓΔΕΖΗΘ', 'ΗΘ'],
  ['سحرمونةبيتك', 'تك'],
  ['優待券番号一二三四五六七', '四五六七'],
  ['١٢٣٤٥٦٧٨٩٠١٢', '٩٠١٢'],
  // Letters outside of the basic plane are two units of UTF-16 each. Accents as characters of their own do not count.
  ['𐐀𐐁𐐂𐐃𐐄𐐅𐐆', null],
  ['𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇', '𐐆𐐇'],
  ['e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301', null],
])('R-IMP-40: letters and digits of every script count once: %s', (code, hint) => {
  expect(findSuffix(code)).toBe(hint);
});

test('R-IMP-40: a hidden code is shown as four dots and its hint', () => {
  expect(maskCode('K5M7')).toBe('••••K5M7');
  expect(maskCode(null)).toBe('••••');
});
