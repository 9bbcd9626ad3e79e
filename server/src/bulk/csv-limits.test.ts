// Tests the limits of lines and cells of a CSV file, and that the process serves other requests while it reads a file.
import { describe, expect, test } from 'vitest';
import { checkCsv } from './read-file.ts';

describe('R-IMP-19: limits of lines', () => {
  const cell = (length: number) => 'x'.repeat(length);
  const wide = (line: number) => `The CSV file cannot be read: line ${line} has more than 1,000 columns`;
  const long = (line: number) =>
    `The CSV file cannot be read: a cell on line ${line} has more than 100,000 characters`;
  const unclosed = (line: number) => `${long(line)}; perhaps its quote is never closed`;

  test.each([
    ['1,000 columns', `code${','.repeat(999)}\nA${','.repeat(999)}\n`],
    ['1,000 columns with semicolons and many commas', `code${';'.repeat(999)}\nA;${','.repeat(2_000)}\n`],
    ['a cell of 100,000 characters', `code,x\nA,${cell(100_000)}\n`],
    ['a quoted cell of 100,000 quotes', `code,x\nA,"${'""'.repeat(100_000)}"\n`],
    ['lines without text after the header', `code\n${'\n,,\n'.repeat(100_000)}A\n`],
  ])('%s are read', async (_what, text) => {
    expect(await checkCsv('coupons', text)).toMatchObject({ records: 1 });
  });

  test.each([
    ['a first line with 5,000,000 commas', `${','.repeat(5_000_000)}\nA\n`, wide(1)],
    ['a first line with 1,000 commas and no known name', `${'a,'.repeat(1_000)}\nA\n`, wide(1)],
    ['a later line with 1,001 columns', `code\nA\nB${','.repeat(1_000)}\n`, wide(3)],
    ['a cell of 2,500,000 quotes', `code\n"${'""'.repeat(1_250_000)}"\n`, unclosed(2)],
    ['a first cell of 2,500,000 quotes', `"${'""'.repeat(1_250_000)}"\nA\n`, unclosed(1)],
    ['a cell of 100,001 characters', `code\nA\n${cell(100_001)}\n`, long(3)],
    ['a quote that is closed far away', `code,x\n"A,1\n${cell(300_000)}"\n`, unclosed(2)],
    ['60,000,000 characters in one cell', cell(60_000_000), long(1)],
    [
      'nothing but separators',
      ',,,,\n'.repeat(100_000),
      'The CSV file cannot be read: its first 100,000 cells are empty',
    ],
  ])('%s is refused, naming the line', async (_what, text, message) => {
    await expect(checkCsv('coupons', text)).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  test.each<[string, () => string]>([
    ['one line of 20,000,000 characters', () => `code${`,${cell(99_900)}`.repeat(200)}\n`],
    [
      '5,000 lines of 1,000 columns',
      () => `code${','.repeat(999)}\n${`x${',y'.repeat(999)}\n`.repeat(5_000)}`,
    ],
    ['5,000,000 lines without text', () => `code\n${'\n'.repeat(5_000_000)}`],
  ])('%s: other work goes on while the file is read', async (_what, make) => {
    const text = make();
    let [turns, longestMs, isRead] = [0, 0, false];
    let atMs = performance.now();
    const turn = () => {
      turns += 1;
      longestMs = Math.max(longestMs, performance.now() - atMs);
      atMs = performance.now();
      if (!isRead) setImmediate(turn);
    };
    setImmediate(turn);
    await checkCsv('coupons', text);
    isRead = true;
    expect(turns).toBeGreaterThan(1);
    expect(longestMs).toBeLessThan(3_000);
  });
});
