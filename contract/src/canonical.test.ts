import { expect, test } from 'vitest';
import { canonicalKey, canonicalLine, canonicalText, foldDigits } from './canonical.ts';
import { isBlankLine, splitLines } from './csv.ts';

const INVISIBLE =
  '\u00AD\u034F\u061C\u115F\u180E\u200B\u200C\u200D\u200E\u202A\u202E\u2060\u2066\u3164\uFE0F\uFEFF';

test.each([
  ['invisible signs', `${INVISIBLE}AB${INVISIBLE}C${INVISIBLE}`, 'ABC'],
  ['two ways to write é', 'CAFE\u0301', 'CAF\u00C9'],
  ['an accent behind an invisible sign', 'CAFE\u200B\u0301', 'CAF\u00C9'],
  ['Unicode spaces', '\u00A0A\u2003B\u3000', 'A B'],
  ['tabs and line breaks', 'A\tB\r\nC\u0085', 'A B  C'],
  ['full-width signs', 'ＡＢ－１２', 'AB-12'],
  ['a full-width letter with an accent', 'Ｅ\u0301', '\u00C9'],
  ['parts of an emoji', '👩\u200D💻', '👩💻'],
  ['only invisible signs', ` ${INVISIBLE}\u2028`, ''],
])('R-MAP-01: codes that look the same are the same: %s', (_what, typed, canonical) => {
  expect(canonicalKey(typed)).toBe(canonical);
});

test.each([
  ['Persian', 'می\u200Cخواهم'],
  ['Hindi', 'क्\u200Dष'],
])('R-MAP-01: in names, the signs that join letters stay: %s', (_what, name) => {
  expect(canonicalLine(` ${name}\u200B`)).toBe(name);
  expect(canonicalLine(`\u200C${name}\u200D`)).toBe(name);
  expect(canonicalKey(name)).toBe(name.replaceAll(/[\u200C\u200D]/g, ''));
});

test('R-MAP-01: a text of several lines keeps its lines and emoji, without invisible signs', () => {
  expect(canonicalText(' One\u200B\r\n\ttwo\u00A0👩\u200D💻 ❤\uFE0F\u2028a\u200D \uFEFF')).toBe(
    'One\r\n\ttwo 👩\u200D💻 ❤\uFE0F\na',
  );
});

test('R-MAP-01: a line of a file with invisible signs only is blank', () => {
  const lines = splitLines(`${INVISIBLE},\u00A0\nA${INVISIBLE},`, ',', { at: 0, row: 1 });
  expect([...lines].map(isBlankLine)).toEqual([true, false]);
});

test('R-MAP-01: the canonical form is its own canonical form', () => {
  const signs = [
    ...INVISIBLE,
    ' ',
    '\u00A0',
    '\u2028',
    'a',
    'E',
    '\u0301',
    'ی',
    '\u094D',
    '👩',
    '❤',
    'ﬁ',
    'Ａ',
    '\u1161',
  ];
  const texts = signs.flatMap((one) =>
    signs.flatMap((two) => signs.flatMap((three) => [`${one}${two}${three}`, `a${one}${two}${three}ی`])),
  );
  for (const canonical of [canonicalKey, canonicalLine, canonicalText]) {
    const once = texts.map(canonical);
    expect(once.map(canonical)).toEqual(once);
  }
});

test('R-MAP-04: digits of all scripts are folded', () => {
  expect(foldDigits('１２３４５６')).toBe('123456');
  expect(foldDigits('٠١٢٣٤٥ ۶۷۸۹ ०१ 𝟘𝟡𝟎𝟗')).toBe('012345 6789 01 0909');
  expect(foldDigits('12 ab Ⅷ')).toBe('12 ab Ⅷ');
});
