// Tests the line numbers of records, and that written CSV files are read back unchanged.
import { readCell, writeCsvLine } from '@portal/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CsvRecord, checkCsv, columnsOf, readCsv } from './read-file.ts';

test.each(['\n', '\r\n', '\r'])(
  'a record has its line number, also after quoted cells with line breaks (%j)',
  async (end) => {
    const lines = ['email,name', 'a,"one', '', 'two"', '', 'b,"x', '"', 'c,d'];
    const rows = (await read(lines.join(end))).map(({ row, cells }) => [row, cells.email]);
    expect(rows).toEqual([
      [2, 'a'],
      [6, 'b'],
      [8, 'c'],
    ]);
  },
);

async function read(text: string): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of readCsv('users', text)) records.push(record);
  return records;
}

// Generates texts with many special characters of CSV and of spreadsheets.
const cell = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("'", '=', '+', '-', '@', '"', ',', ';', '|', '\t', '\r', '\n', ' ', '\u00A0', 'A', '7'),
      fc.constantFrom('0', '1', '.', '/', ':', '%', 'E'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
  })
  .map((text) => text.trim());

/** Returns the texts that a spreadsheet would read as formulas if it ignored quotes and split lines at `separator`. */
function listFormulas(file: string, separator: string): string[] {
  const lines = file.split(/[\r\n]/);
  const pieces = lines.flatMap((line) =>
    // A quoted cell at the beginning of a line is text in a spreadsheet.
    line.split(separator).map((piece, at) => (at === 0 ? piece : piece.replace(/^[\s"]+/u, ''))),
  );
  return pieces.filter((piece) => /^(?:[=+@]|-[^,;|\t]*[^\p{L}\p{N},;|\t"-])/u.test(piece));
}

test('R-IMP-22, R-MAP-11: cells written as CSV are read unchanged, and no cell of the file is a formula, whatever the separator', async () => {
  const columns = columnsOf('users');
  const row = fc.array(cell, { minLength: columns.length, maxLength: columns.length });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        row.filter((cells) => cells.some((text) => text !== '')),
        { maxLength: 5 },
      ),
      async (rows) => {
        const file = [[...columns, 'line', 'reason'], ...rows.map((cells) => [...cells, 2, 'why'])];
        const text = file.map(writeCsvLine).join('');
        for (const separator of [';', '|', '\t']) expect(listFormulas(text, separator)).toEqual([]);
        const records = await read(`\uFEFF${text}`);
        expect(records.map(({ cells }) => columns.map((column) => cells[column]))).toEqual(rows);
      },
    ),
    { numRuns: 1_000 },
  );
  expect(writeCsvLine(['=1', '+44 20', '@a', '-1+2', "'=1", '-5', 'A-1', "it's"])).toBe(
    "'=1,'+44 20,'@a,'-1+2,''=1,-5,A-1,it's\r\n",
  );
  expect(writeCsvLine(["'00123", "'-5", "''7", "'A", '00123', '="00123"'])).toBe(
    `''00123,''-5,'''7,'A,'00123,"'=""00123"""\r\n`,
  );
  const inner = [
    'x;=1',
    'x; @a',
    "x;'=1",
    'x;"=1"',
    'x|-1+2',
    'x;-5;-A-1',
    'x;y=1',
    'x;\n+1',
    'a,=1',
    '=1;=1',
    '-;=1',
  ];
  expect(writeCsvLine(inner)).toBe(
    `x;'=1,x;' @a,x;''=1,"x;'""=1""",x|'-1+2,x;-5;-A-1,x;y=1,"x;\n'+1","a,'=1",'=1;'=1,'-;'=1\r\n`,
  );
});

test('R-IMP-22: a text that a spreadsheet would save as another number or as a day stays a text', () => {
  const changed = [
    '00123',
    '123456789012',
    '1.50',
    '1,5',
    '50%',
    '1E5',
    '2.5e+3',
    '1/2',
    '1-2',
    '31/12/2026',
  ];
  for (const text of [...changed, '1-DEC', '5 May 2026', '12:30', '9:05 pm'])
    expect(writeCsvLine([text]).replaceAll('"', '')).toBe(`'${text}\r\n`);
  const kept = ['0', '123', '2026-12-31', '2026-12-31T10:00:00Z', '020 7946 0991', 'A-1', '12AB', '7-ELEVEN'];
  for (const text of kept) expect(writeCsvLine([text])).toBe(`${text}\r\n`);
  expect(writeCsvLine([123_456_789_012, 1.5])).toBe('123456789012,1.5\r\n');
});

test('R-MAP-10, R-MAP-14: each code that is read stands in a cell of the column, and each other line is named', async () => {
  const text = fc.string({
    unit: fc.constantFrom('"', ',', ';', '|', ':', '\t', '\n', ' ', '#', '=', "'", 'A', '7'),
    maxLength: 6,
  });
  const code = fc
    .oneof(text, fc.constantFrom('total', 'code', '#A', 'Summe', '="7"'))
    .map((each) => `${each}x`);
  const row = fc.tuple(fc.oneof(code, fc.constantFrom('total', '#A', 'code')), text);
  const table = fc.array(row, { minLength: 1, maxLength: 6 });
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '\t', '|'),
      fc.boolean(),
      async (rows, at, hasTitle) => {
        const lines = [['code', 'x'], ...rows].map((cells) => cells.map(quote).join(at));
        const file = [...(hasTitle ? ['Codes of Acme'] : []), ...lines, ''].join('\n');
        const { left_out, records } = await checkCsv('coupons', file);
        const read: string[] = [];
        for await (const { cells } of readCsv('coupons', file)) read.push(cells.coupon_code ?? '');
        const isData = ([first]: [string, string]) => first !== 'total';
        const isSecondHeader = ([first, x]: [string, string]) => first === 'code' && x.trim() === 'x';
        const data = rows.filter((each) => isData(each) && !isSecondHeader(each));
        expect(read).toEqual(data.map(([cell]) => readCell(cell)));
        expect(records + left_out.length).toBe(rows.length + (hasTitle ? 1 : 0));
      },
    ),
    { numRuns: 2_000, seed: 305 },
  );
});
