// Tests the CSV reader with a table of small files, as spreadsheets and people write them.
import { type CsvKind, type CsvOptions, decodeCsv, type LeftOut, markUnstorable } from '@portal/contract';
import { describe, expect, test } from 'vitest';

import { type CsvRecord, checkCsv, columnsOf, parseCoupons, parseUsers, readCsv } from './read-file.ts';

const utf16 = (text: string, order: 'le' | 'be') => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};
const utf8 = (text: string) => Buffer.from(text);

type Expected = {
  /** Number of records, and number of valid rows. */
  records: number;
  valid?: number;
  /** Rows without a code. */
  blank?: number;
  /** The texts of the first record. */
  first?: Record<string, string>;
  header?: boolean;
  /** The lines that are no data, by their numbers; none by default. */
  leftOut?: Record<number, LeftOut['why']>;
  /** The lines on which the records begin. */
  lines?: number[];
};

const CODES: [what: string, file: Buffer, expected: Expected, options?: CsvOptions][] = [
  ['plain', utf8('coupon_code\nA\nB\n'), { records: 2, first: { coupon_code: 'A' } }],
  ['no line break at the end', utf8('coupon_code\nA'), { records: 1 }],
  ['UTF-8 with its mark', utf8('\uFEFFcoupon_code\nÄ-1\n'), { records: 1, first: { coupon_code: 'Ä-1' } }],
  ['UTF-16 LE', utf16('coupon_code\tnote\r\nÄ\tx\r\n', 'le'), { records: 1, first: { coupon_code: 'Ä' } }],
  ['UTF-16 BE', utf16('coupon_code;note\r\nÄ;x\r\n', 'be'), { records: 1, first: { coupon_code: 'Ä' } }],
  ['Windows-1252', Buffer.from('Code\nGR\xdcN\n', 'latin1'), { records: 1, first: { coupon_code: 'GRÜN' } }],
  ['semicolons', utf8('coupon_code;use_by\nA;2999-01-01\n'), { records: 1, first: { use_by: '2999-01-01' } }],
  ['tabs', utf8('note\tcoupon_code\n1\tA\n'), { records: 1, first: { coupon_code: 'A' } }],
  ['CR alone', utf8('coupon_code\rA\rB\r'), { records: 2 }],
  ['CRLF and LF mixed', utf8('coupon_code\r\nA\nB\r\n'), { records: 2 }],
  [
    'sep=; of Excel',
    utf8('sep=;\r\ncoupon_code;x\r\nA,B;1\r\n'),
    { records: 1, first: { coupon_code: 'A,B' } },
  ],
  ['sep=, after a mark', utf8('\uFEFFsep=,\ncode,x\nA;B,1\n'), { records: 1, first: { coupon_code: 'A;B' } }],
  ['sep= with a tab, in capitals', utf8('SEP=\t\ncode\tx\nA;B\t1\n'), { records: 1 }],
  ['quoted sep', utf8('"sep=;"\ncode;x\nA;1\n'), { records: 1, first: { coupon_code: 'A' } }],
  ['lines of separators alone', utf8('code;x;y\nA;1;2\n;;\n;;;\n'), { records: 1 }],
  ['trailing separators', utf8('code;;\nA;;\nB;;\n'), { records: 2, blank: 0 }],
  ['missing cells', utf8('x,code,use_by\n1,A\n'), { records: 1, first: { coupon_code: 'A', use_by: '' } }],
  ['further cells', utf8('code\nA,B,C\n'), { records: 1, first: { coupon_code: 'A' } }],
  ['spaces around codes', utf8(' code \n  A  \n\tB\n'), { records: 2, first: { coupon_code: 'A' } }],
  ['voucher_code', utf8('No,Voucher_Code\n1,A\n'), { records: 1, first: { coupon_code: 'A' } }],
  ['Promo Code', utf8('Promo Code\nA\n'), { records: 1, header: true }],
  ['gift-code', utf8('gift-code\nA\n'), { records: 1 }],
  [
    'GUTSCHEINCODE',
    utf8('GUTSCHEINCODE;Valid until\nA;2999-02-01\n'),
    { records: 1, first: { use_by: '2999-02-01' } },
  ],
  ['Expiry', utf8('coupon,Expiry\nA,2999-02-01\n'), { records: 1, first: { use_by: '2999-02-01' } }],
  ['no header', utf8('ABC-1\nABC-2\n'), { records: 2, header: false, first: { coupon_code: 'ABC-1' } }],
  ['no header, trailing separators', utf8('ABC-1;;\nABC-2;;\n'), { records: 2, header: false }],
  ['no header, a blank code first', utf8('""\nA\n'), { records: 2, blank: 1, header: false }],
  ['blank codes beside other cells', utf8('code,x\n,1\n"",2\nA,3\n'), { records: 3, blank: 2 }],
  ['blank codes left out', utf8('code,x\n,1\n"",2\nA,3\n'), { records: 1, blank: 0 }, { blanks: 'skip' }],
  ['blank codes generated', utf8('code,x\n,1\nA,3\n'), { records: 2, blank: 1 }, { blanks: 'generate' }],
  ['"" alone in one column', utf8('code\n""\n\n  \n" "\nA\n'), { records: 3, blank: 2 }],
  ['"" alone in several columns', utf8('code,x\n""\nA,1\n'), { records: 1 }],
  ['quotes', utf8('code\n"A,1"\n"say ""x"""\n5"D\n'), { records: 3, first: { coupon_code: 'A,1' } }],
  [
    'spaces before a quoted cell',
    utf8('x,code\na, "b, c"\n'),
    { records: 1, first: { coupon_code: 'b, c' } },
  ],
  [
    'spaces and tabs around quoted cells',
    utf8('x,code,y\n1,\t "A,1" \t, "2"\n'),
    { records: 1, first: { coupon_code: 'A,1' } },
  ],
  ['tabs that separate quoted cells', utf8('x\tcode\n\t"A"\n'), { records: 1, first: { coupon_code: 'A' } }],
  ['a quoted cell between tabs and spaces', utf8('x\tcode\n1\t "A\tB" \n'), { records: 1 }],
  [
    'a line break in a quoted cell after a space',
    utf8('x,code\n "a\nb",A\n1,B\n'),
    { records: 2, first: { coupon_code: 'A' } },
  ],
  [
    'a quote in the middle of an unquoted cell',
    utf8('code,x\nA"1,2"\n13" B,3\n'),
    { records: 2, first: { coupon_code: 'A"1' } },
  ],
  ['text behind a closing quote', utf8('code\n"A" B\n'), { records: 1, first: { coupon_code: '"A" B' } }],
  ['line breaks in a cell', utf8('x,code\n"a\nb",A\n'), { records: 1, valid: 1 }],
  ['guarded formulas', utf8("code\n'=1+1\n'+44\nit's\n"), { records: 3, first: { coupon_code: '=1+1' } }],
  [
    'the text ="00123" of Excel',
    utf8('x,code\n1,="00123"\n'),
    { records: 1, first: { coupon_code: '00123' } },
  ],
  [
    'the text ="00123" of Excel, quoted',
    utf8('code\n"=""00123"""\n"=""A""""B"""\n'),
    { records: 2, first: { coupon_code: '00123' } },
  ],
  ['an empty text of Excel', utf8('code,x\n="",1\nA,2\n'), { records: 2, blank: 1 }],
  ['a formula of Excel', utf8('code\n="A"&"B"\n'), { records: 1, first: { coupon_code: '="A"&"B"' } }],
  [
    'the apostrophe of Excel',
    utf8("code\n'00123\n'-5\n'@a\n"),
    { records: 3, first: { coupon_code: '00123' } },
  ],
  ['two apostrophes', utf8("code\n''00123\n"), { records: 1, first: { coupon_code: "'00123" } }],
  ['an apostrophe before a letter', utf8("code\n'A1\n"), { records: 1, first: { coupon_code: "'A1" } }],
  [
    'numbers that Excel shortened',
    utf8('code\n1.23457E+11\n"1,2E+05"\n9E+15\n="7E+10"\n'),
    { records: 4, valid: 0 },
  ],
  ['codes like shortened numbers', utf8('code\n12.3E+11\n1.2E-05\n1E+5\n1.2e+11\nE+11\n'), { records: 5 }],
  [
    'a code of 255 code points',
    utf8(`code\n${'😀'.repeat(255)}\n${'😀'.repeat(256)}\n`),
    { records: 2, valid: 1 },
  ],
  ['NUL in a code', utf8('code,x\nA\0B,1\nC,1\n'), { records: 2, valid: 1 }],
  ['NUL in an ignored column', utf8('code,x\nA,1\0\nC,1\n'), { records: 2, valid: 1 }],
  ['a control character', utf8('code\nA\u0007\nB\n'), { records: 2, valid: 1 }],
  [
    'said columns, no header',
    utf8('x,A\ny,B\n'),
    { records: 2, header: false, first: { coupon_code: 'A' } },
    { columns: { coupon_code: 2 } },
  ],
  [
    'said columns with a header',
    utf8('Nr,Kode\n1,A\n'),
    { records: 1, header: true, first: { coupon_code: 'A' } },
    { columns: { coupon_code: 2 }, header: true },
  ],
  [
    'said columns win over names',
    utf8('code,real\nX,A\n'),
    { records: 1, first: { coupon_code: 'A' } },
    { columns: { coupon_code: 2 } },
  ],
  [
    'a name that is a code',
    utf8('CODE\nA\n'),
    { records: 2, first: { coupon_code: 'CODE' } },
    { header: false },
  ],
  ['only a header', utf8('coupon_code\n'), { records: 0 }],
  ['only separators', utf8(';;;\n'), { records: 0 }],
  [
    'our columns line and reason',
    utf8('coupon_code,use_by,line,reason\nA,,5,why\n'),
    { records: 1, valid: 1 },
  ],
];

/** Lines that are no data, and other ways to separate cells (R-MAP-14). */
const LINES: typeof CODES = [
  [
    'a title above the names',
    utf8('Codes for Acme;;\n;;\nCode;Valid until;Note\nA;2999-01-01;x\n'),
    { records: 1, leftOut: { 1: 'title' }, lines: [4], first: { coupon_code: 'A' } },
  ],
  [
    'titles with another separator than the table',
    utf8('Report: codes, 2026\nMade by | Acme\ncode;use_by;x\nA;;1\n'),
    { records: 1, leftOut: { 1: 'title', 2: 'title' }, lines: [4] },
  ],
  ['a quoted title', utf8('"Codes, Acme",,\ncode,x,y\nA,1,2\n'), { records: 1, leftOut: { 1: 'title' } }],
  [
    'a title of two lines in one cell',
    utf8('"Codes\nof Acme",\ncode,x\nA,1\n'),
    { records: 1, leftOut: { 1: 'title' }, lines: [4] },
  ],
  ['a title above one column', utf8('Codes of Acme\ncode\nA\nB\n'), { records: 2, leftOut: { 1: 'title' } }],
  [
    'codes above one column name are no titles',
    utf8('A-1\nA-2\ncode\nA-3\n'),
    { records: 3, header: false, leftOut: { 3: 'header' }, lines: [1, 2, 4] },
  ],
  [
    'codes with spaces above one column name are no titles',
    utf8('A 1\nA 2\nA 3\nA 4\ncode\nA 5\n'),
    { records: 5, header: false, leftOut: { 5: 'header' } },
  ],
  [
    'a second header',
    utf8('code;use_by\nA;\nCode;Use-By\nB;\n'),
    { records: 2, leftOut: { 3: 'header' }, lines: [2, 4] },
  ],
  ['a code that begins like the header', utf8('code;x\ncode-1;x\ncode;1\n'), { records: 2 }],
  ['a second header of one column', utf8('code\nA\n\nCODE\nB\n'), { records: 2, leftOut: { 4: 'header' } }],
  [
    'a name that is a code because staff said so',
    utf8('A\ncode\n'),
    { records: 2, header: false },
    { header: false },
  ],
  [
    'comments',
    utf8('# made by a shop\ncode,x\nA,1\n # paused\n#B,2\nC,3\nD,4\nE,5\n'),
    { records: 4, leftOut: { 1: 'comment', 4: 'comment', 5: 'comment' }, lines: [3, 6, 7, 8] },
  ],
  ['codes that all begin with #', utf8('code\n#A\n#B\n#C\n'), { records: 3, first: { coupon_code: '#A' } }],
  ['half of the lines begin with #', utf8('code\n#A\n#B\nC\n'), { records: 3 }],
  ['fewer than half begin with #', utf8('code\n#A\nB\nC\n'), { records: 2, leftOut: { 2: 'comment' } }],
  [
    'a quoted code that begins with #',
    utf8('code\n"#A"\n#b\nB\nC\n'),
    { records: 3, leftOut: { 3: 'comment' } },
  ],
  ['a column named #', utf8('#;code\n1;A\n2;B\n'), { records: 2, header: true, first: { coupon_code: 'A' } }],
  [
    'totals',
    utf8('code;x\nA;1\nTotal;1\n"SUMME";\n gesamt ;2\nSum\nB;2\nSumme 3;2\n'),
    {
      records: 3,
      leftOut: { 3: 'total', 4: 'total', 5: 'total', 6: 'total' },
      lines: [2, 7, 8],
    },
  ],
  ['a total in a later cell', utf8('code;x\nA;total\n'), { records: 1 }],
  [
    'each line quoted whole',
    utf8('"code,use_by"\r\n"A,2999-01-01"\r\n"B,"\r\n'),
    { records: 2, lines: [2, 3], first: { coupon_code: 'A', use_by: '2999-01-01' } },
  ],
  [
    'each line quoted whole, with quotes inside',
    utf8('"x;code"\n"1;%%A;1%%"\n2;B\n"Total;2"\n'.replaceAll('%%', '""')),
    { records: 2, first: { coupon_code: 'A;1' }, leftOut: { 4: 'total' } },
  ],
  [
    'codes with commas that are quoted',
    utf8('"code"\n"A,1"\n'),
    { records: 1, first: { coupon_code: 'A,1' } },
  ],
  ['bars', utf8('code|use_by\nA|2999-01-01\n'), { records: 1, first: { use_by: '2999-01-01' } }],
  ['bars with spaces', utf8('nr | code\n1 | A:2\n'), { records: 1, first: { coupon_code: 'A:2' } }],
  ['colons', utf8('code:use_by\nA:2999-01-01\n'), { records: 1, first: { use_by: '2999-01-01' } }],
  ['sep=|', utf8('sep=|\ncode|x\nA,B|1\n'), { records: 1, first: { coupon_code: 'A,B' } }],
  [
    'codes with colons and bars',
    utf8('A:1\nB|2\n'),
    { records: 2, header: false, first: { coupon_code: 'A:1' } },
  ],
  ['a list with colons', utf8('code: A\ncode: B\n'), { records: 2, first: { coupon_code: 'code: A' } }],
];

const USERS: typeof CODES = [
  [
    'E-Mail and Full Name',
    utf8('E-Mail;Full Name\na@b.co;Ada\n'),
    { records: 1, valid: 1, first: { email: 'a@b.co', name: 'Ada' } },
  ],
  [
    'first and last name',
    utf8('First Name,Last-Name,Email Address\nAda,Okafor,a@b.co\n'),
    { records: 1, valid: 1, first: { name: 'Ada Okafor' } },
  ],
  [
    'a first name alone of two',
    utf8('first_name,last_name,mail\nAda,,a@b.co\n'),
    { records: 1, valid: 1, first: { name: 'Ada' } },
  ],
  [
    'phone',
    utf8("mail,name,Mobile\na@b.co,Ada,'+44 1\n"),
    { records: 1, valid: 1, first: { phone_number: '+44 1' } },
  ],
  [
    'a phone that Excel shortened',
    utf8('mail,name,phone\na@b.co,Ada,4.92E+12\nb@b.co,1.5E+10,+49 1\n'),
    { records: 2, valid: 1 },
  ],
  ['addresses without names', utf8('mail\na@b.co\nB@b.co\n'), { records: 2, valid: 2, header: true }],
  ['addresses without a header', utf8('a@b.co\nb@b.co\nnone\n'), { records: 3, valid: 2, header: false }],
  ['a first name without a last name', utf8('email,first name\na@b.co,Ada\n'), { records: 1, valid: 1 }],
  ['a blank name', utf8('email,name\na@b.co,\n'), { records: 1, valid: 1 }],
  [
    'Outlook',
    utf8('"E-mail Address","Name","Mobile"\r\n"a@b.co","Ada ""A"" B",""\r\n'),
    { records: 1, valid: 1, first: { name: 'Ada "A" B' } },
  ],
  [
    'people: title, comment, second header and total',
    utf8(
      'Members,,\nas of,2026-01-01,\nemail,name,phone\na@b.co,Ada,1\n#b@b.co,Bo,2\nEmail,Name,Phone\nc@b.co,Cy,3\ntotal,2,\n',
    ),
    { records: 2, leftOut: { 1: 'title', 2: 'title', 5: 'comment', 6: 'header', 8: 'total' }, lines: [4, 7] },
  ],
  [
    'an address above the names is no title',
    utf8('a@b.co\nemail\nb@b.co\n'),
    { records: 2, header: false, leftOut: { 2: 'header' } },
  ],
  [
    'said columns',
    utf8('Ada,a@b.co\n'),
    { records: 1, valid: 1, first: { name: 'Ada' } },
    { columns: { name: 1, email: 2 } },
  ],
];

async function read(kind: CsvKind, text: string, options: CsvOptions): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of readCsv(kind, text, options)) records.push(record);
  return records;
}

async function expectRead(
  kind: 'users' | 'coupons',
  [, file, expected, options = {}]: (typeof CODES)[number],
) {
  const text = markUnstorable(decodeCsv(file));
  const records = await read(kind, text, options);
  const found = await checkCsv(kind, text, options);
  const parsed =
    kind === 'users'
      ? parseUsers(records)
      : parseCoupons(records, { today: '2026-01-01', use_by_default: null });
  expect({
    records: records.length,
    checked: found.records,
    valid: parsed.rows.length,
    blank: kind === 'coupons' ? records.filter(({ cells }) => cells.coupon_code === '').length : 0,
    header: expected.header === undefined ? undefined : found.header,
    leftOut: Object.fromEntries(found.left_out.map(({ line, why }) => [line, why])),
    lines: expected.lines && records.map(({ row }) => row),
  }).toEqual({
    records: expected.records,
    checked: expected.records,
    valid: expected.valid ?? expected.records,
    blank: expected.blank ?? 0,
    header: expected.header,
    leftOut: expected.leftOut ?? {},
    lines: expected.lines,
  });
  expect(records[0]?.cells ?? {}).toMatchObject(expected.first ?? {});
}

describe('R-IMP-14, R-IMP-15, R-MAP-10, R-MAP-11, N-36 to N-40: a file as partners send it is read', () => {
  test.each(CODES)('codes: %s', async (...row) => expectRead('coupons', row));
  test.each(LINES)('R-MAP-14, codes: %s', async (...row) => expectRead('coupons', row));
  test.each(USERS)('users: %s', async (...row) => expectRead('users', row));

  test('R-MAP-11: a shortened number is named as such', async () => {
    const records = await read('coupons', 'code\n1.23457E+11\n', {});
    expect(parseCoupons(records, { today: '2026-01-01', use_by_default: null }).errors).toEqual([
      {
        row: 2,
        message: 'Excel has shortened this number. Format the column as text and save again.',
        cells: ['1.23457E+11', ''],
      },
    ]);
  });

  test('a file of addresses has no name, and the columns are named in their order', async () => {
    const [record] = await read('users', 'mail\na@b.co\n', {});
    expect(record?.cells).toEqual({ email: 'a@b.co', phone_number: '', payment_id: '' });
    expect(await checkCsv('coupons', 'Notes,Code\nx,A\n')).toEqual({
      records: 1,
      header: true,
      columns: [
        { name: 'Notes', field: null },
        { name: 'Code', field: 'coupon_code' },
      ],
      ignored: ['Notes'],
      left_out: [],
    });
    expect(columnsOf('coupons')).toEqual(['coupon_code', 'use_by']);
  });

  test('separators at the end of the lines of a file without names make no columns, but said columns stay', async () => {
    const only = { name: null, field: 'coupon_code' };
    const ends = await checkCsv('coupons', 'CODE1;;\nCODE2;;\n');
    expect(ends).toEqual({ records: 2, header: false, columns: [only], ignored: [], left_out: [] });
    expect(await checkCsv('coupons', 'CODE1;;\nCODE2;;\n', { header: false })).toEqual(ends);
    const said = await checkCsv('coupons', 'CODE1;note\n', { columns: { coupon_code: 1 }, header: false });
    expect(said.columns).toEqual([only, { name: null, field: null }]);
  });

  test('lines are counted from the start of the file, with the line sep=', async () => {
    const records = await read('coupons', 'sep=;\r\n\r\ncode;x\r\n;;\r\nA;1\r\n', {});
    expect(records.map(({ row }) => row)).toEqual([5]);
  });
});
