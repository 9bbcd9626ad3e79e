// Reads workbooks that are built here from XML, as Excel, LibreOffice and libraries write it.
import { readCell, splitLines } from '@portal/contract';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { openWorkbook, XLSX_LIMITS } from './read-xlsx.ts';

const RELS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const FORMATS = [
  'General',
  '00000',
  '0%',
  'yyyy-mm-dd',
  'dd.mm.yyyy hh:mm',
  '#,##0.00 "€"',
  '[bad',
  '0',
  '@',
  'h:mm',
];
const STYLES = `<styleSheet><numFmts>${FORMATS.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts>
<cellStyleXfs><xf numFmtId="3"/></cellStyleXfs><cellXfs>${FORMATS.map((_code, at) => `<xf numFmtId="${200 + at}"/>`).join('')}</cellXfs></styleSheet>`;

type Options = {
  rows: string;
  after?: string;
  strings?: string;
  pr?: string;
  sheets?: string;
  more?: Zippable;
};

function workbook({ rows, after = '', strings = '', pr = '', sheets, more = {} }: Options): Uint8Array {
  const names = sheets ?? '<sheet name="Codes &amp; more" sheetId="1" r:id="rId1"/>';
  return zipSync({
    '_rels/.rels': strToU8(
      `<Relationships><Relationship Id="a" Type="${RELS}/officeDocument" Target="/xl/book.xml"/></Relationships>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(
      `<?xml version="1.0"?><worksheet xmlns="x"><cols><col min="1"/></cols><sheetData>${rows}</sheetData>${after}</worksheet>`,
    ),
    'xl/_rels/book.xml.rels': strToU8(
      `<Relationships><Relationship Id="rId1" Type="${RELS}/worksheet" Target="worksheets/sheet1.xml"/>
       <Relationship Id="rId2" Type="${RELS}/worksheet" Target="../xl/worksheets/sheet2.xml"/>
       <Relationship Id="s" Type="${RELS}/styles" Target="styles.xml"/>
       <Relationship Id="t" Type="${RELS}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>`,
    ),
    'xl/book.xml': strToU8(
      `<workbook xmlns:r="${RELS}"><workbookPr ${pr}/><sheets>${names}</sheets></workbook>`,
    ),
    'xl/styles.xml': strToU8(STYLES),
    'xl/sharedStrings.xml': strToU8(`<sst>${strings}</sst>`),
    ...more,
  });
}

const read = async (options: Options, sheet = 0) => (await openWorkbook(workbook(options))).read(sheet);
const number = (at: string, style: number, value: string) => `<c r="${at}" s="${style}"><v>${value}</v></c>`;
const row = (at: number, cells: string, more = '') => `<row r="${at}" ${more}>${cells}</row>`;

/** Returns the values that the import reads from the text. */
const valuesOf = (csv: string) =>
  Array.from(splitLines(csv, ',', { at: 0, row: 1 }), ({ cells }) => cells.map(readCell));

test.each([
  [1, '123', '00123'],
  [0, '123456789012', '1.23457E+11'],
  [0, '12345', '12345'],
  [0, '0.30000000000000004', '0.3'],
  [2, '0.125', '13%'],
  [5, '1234.5', '1,234.50 €'],
  [3, '45000', '2023-03-15'],
  [4, '45000.5', '2023-03-15 12:00:00'],
  [9, '0.5', '12:00'],
  // Excel keeps 15 digits of a number. Its last digits are lost.
  [7, '1234567890123456', '1.23456789012346E+15'],
  [8, '7', '7'],
  [6, '7', '7'],
  [-1, '7', '7'],
] as const)('R-MAP-12: a number in the format %i: %s is read as %s', async (style, value, shown) => {
  const { csv, notes } = await read({ rows: row(1, number('A1', style, value)) });
  expect(valuesOf(csv)).toEqual([[shown]]);
  expect(notes).toHaveLength(style === 6 ? 1 : 0);
});

test('R-MAP-12: days are counted from 1904 if the workbook says so', async () => {
  const { csv } = await read({ pr: 'date1904="1"', rows: row(1, number('A1', 3, '43538')) });
  expect(csv).toBe('2023-03-15\r\n');
});

test('R-MAP-12: texts come as they are; line and column numbers stay', async () => {
  const strings =
    '<si><t>code</t></si><si><r><t>A</t></r><r><rPr/><t xml:space="preserve"> &amp;1</t></r><rPh><t>x</t></rPh></si><si><t>a_x000D_\nb</t></si>';
  const rows = [
    row(2, '<c r="A2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><t>use_by</t></is></c>'),
    row(3, '<c r="A3" t="s"><v>1</v></c><c r="B3" s="1"/><c r="C3" t="b"><v>1</v></c>'),
    row(
      6,
      '<c r="A6" t="str"><f>1</f><v>=SUM(1)</v></c><c r="B6" t="s"><v>2</v></c><c r="C6" t="d"><v>2026-12-31T00:00:00</v></c>',
    ),
    row(9, '<c r="A9" s="2"/>'),
  ].join('');
  const { csv, notes } = await read({ strings, rows });
  expect(csv).toBe("\r\ncode,,use_by\r\nA &1,,TRUE\r\n\r\n\r\n'=SUM(1),a b,2026-12-31\r\n");
  expect(readCell("'=SUM(1)")).toBe('=SUM(1)');
  expect(notes).toEqual(['Line breaks inside cells, which become spaces: 1']);
});

test('R-MAP-12: what cannot be read as it is shown is named', async () => {
  const rows =
    row(1, '<c r="A1" t="e"><v>#N/A</v></c><c r="B1"><f>1+1</f></c>') +
    row(2, number('A2', 0, '1'), 'hidden="1"') +
    '<row><c><v>5</v></c><c><v>6</v></c></row>';
  const { csv, notes } = await read({
    rows,
    after: '<mergeCells count="1"><mergeCell ref="A1:A2"/></mergeCells>',
  });
  expect(csv).toBe('#N/A\r\n1\r\n5,6\r\n');
  expect(notes).toEqual([
    'Hidden rows of the sheet, which are read too: 1',
    'Merged cells, of which only the first has the text: 1',
    'Formulas without a stored result, which are read as empty: 1',
    'Cells with an error of Excel, such as #N/A: 1',
  ]);
});

test('R-MAP-12: the visible sheets are offered, and namespaces of elements do not matter', async () => {
  const sheets =
    '<sheet name="Old" state="hidden" r:id="rId1"/><sheet name="A&amp;B" r:id="rId2"/><sheet name="C" r:id="rId1"/>';
  const second = strToU8(
    '<x:worksheet xmlns:x="y"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>2</x:v></x:c></x:row></x:sheetData></x:worksheet>',
  );
  const book = await openWorkbook(
    workbook({ sheets, rows: row(1, number('A1', 0, '1')), more: { 'xl/worksheets/sheet2.xml': second } }),
  );
  expect(book.names).toEqual(['A&B', 'C']);
  expect((await book.read(0)).csv).toBe('2\r\n');
  expect((await book.read(1)).csv).toBe('1\r\n');
});

test('R-MAP-12: a large sheet is read in pieces; a sheet with too many rows is refused', async () => {
  const many = Array.from({ length: 30_000 }, (_row, at) => row(at + 1, number(`A${at + 1}`, 1, `${at}`)));
  const { csv } = await read({ rows: many.join('') });
  expect(csv.split('\r\n')).toHaveLength(30_001);
  expect(csv.endsWith('29999\r\n')).toBe(true);
  await expect(read({ rows: row(XLSX_LIMITS.rows + 1, number('A500001', 0, '1')) })).rejects.toThrow(
    'The sheet has more than 500,000 rows. Split it in two.',
  );
  // An empty row at the end of the sheet that only has a format is no row.
  expect((await read({ rows: row(1_048_576, '<c r="A1048576" s="1"/>') })).csv).toBe('');
  await expect(read({ rows: row(1, number('XFD1', 0, '1')) })).rejects.toThrow('more than 1,000 columns');
});

test('R-MAP-12: an archive that is huge when it is unpacked is refused', async () => {
  const { unpacked } = XLSX_LIMITS;
  XLSX_LIMITS.unpacked = 1_000_000;
  const bomb = { 'xl/sharedStrings.xml': new Uint8Array(1_000_001) };
  const refused = expect(openWorkbook(workbook({ rows: '', more: bomb }))).rejects.toThrow(
    'This Excel file is too large when it is unpacked. Split it in two.',
  );
  await refused.finally(() => {
    XLSX_LIMITS.unpacked = unpacked;
  });
});

test('R-MAP-12: other and damaged files are refused with a reason', async () => {
  const open = (bytes: Uint8Array) => openWorkbook(bytes);
  const old = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]);
  await expect(open(old)).rejects.toThrow('This is an old Excel file (.xls).');
  const encrypted = new Uint8Array([...old, ...strToU8(Array.from('EncryptedPackage').join('\0'))]);
  await expect(open(encrypted)).rejects.toThrow('This Excel file has a password.');
  await expect(open(strToU8('code\nA'))).rejects.toThrow('This is not an Excel file (.xlsx).');
  await expect(open(zipSync({ 'a.txt': strToU8('a') }))).rejects.toThrow('This Excel file is damaged.');
  const whole = workbook({ rows: row(1, number('A1', 0, '1')) });
  await expect(open(whole.slice(0, whole.length / 3))).rejects.toThrow('damaged');
  await expect(read({ rows: '<row r="1"><c r="A1"></row>' })).rejects.toThrow('damaged');
  await expect(read({ rows: row(1, '<c r="A1" t="s"><v>9</v></c>') })).rejects.toThrow('damaged');
  await expect(open(new Uint8Array(XLSX_LIMITS.bytes + 1))).rejects.toThrow('20 MB is the most');
});
