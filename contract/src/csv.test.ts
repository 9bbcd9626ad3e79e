import { describe, expect, test } from 'vitest';
import { countCsvRecords } from './csv.ts';

describe('R-CONST-05: records are counted', () => {
  test.each([
    ['without the header', 'name\nAda\nGrace', 2],
    ['by any line break', 'name\r\nAda\rGrace\nMary', 3],
    ['without lines of spaces', '\n name\n \t\n\u00a0\u2028\nAda\n\n', 1],
    ['never below zero', '', 0],
  ])('%s', (_how, text, records) => {
    expect(countCsvRecords(text)).toBe(records);
  });
});
