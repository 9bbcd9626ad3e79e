// Tests that our own reader reads the workbooks that the portal exports: export then import gives the same values.
import { readCell, splitLines } from '@portal/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cells, writeXlsx } from '../server/src/features/exports/xlsx.ts';

// The types of the tests do not include those of Vite, which the page has. So the compiler must not follow this import.
const READER: string = '../web/src/staff/files/read-xlsx.ts';
type Reader = { openWorkbook(bytes: Uint8Array): Promise<{ read(sheet: number): Promise<{ csv: string }> }> };
const { openWorkbook } = (await import(READER)) as Reader;

async function exportAndRead(rows: Cells[]): Promise<string[][]> {
  async function* steps() {
    yield [['a', 'b', 'c']];
    yield rows;
  }
  const parts: Uint8Array[] = [];
  for await (const part of writeXlsx(steps())) parts.push(part);
  const { csv } = await (await openWorkbook(Buffer.concat(parts))).read(0);
  const lines = Array.from(splitLines(csv, ',', { at: 0, row: 1 }));
  return lines
    .slice(1)
    .map(({ cells }) => Array.from({ length: 3 }, (_cell, at) => readCell(cells[at] ?? '')));
}

const sign = fc.constantFrom(
  ...'ab019=+-@\t\'",;|&<>_xD~ ',
  '\u00e4',
  '\u{1f600}',
  '_x000D_',
  '1.5E+11',
  '\u0001',
);
const cell = fc.array(sign, { maxLength: 8 }).map((signs) => signs.join(''));

test('N-305, R-IMP-22: values of an exported workbook are read as they were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }), async (rows) => {
      const filled = rows.filter((row) => row.some((text) => text.trim() !== ''));
      expect(await exportAndRead(filled)).toEqual(filled.map((row) => row.map((text) => text.trim())));
    }),
    { numRuns: 300 },
  );
});
