// Tests which columns of a CSV file are recognised, which are reported as ignored, and how days are read.
import type { CsvKind, CsvOptions } from '@portal/contract';
import { describe, expect, test } from 'vitest';
import { type CsvRecord, checkCsv, parseCoupons, readCsv } from './read-file.ts';

async function read(kind: CsvKind, text: string, options: CsvOptions): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of readCsv(kind, text, options)) records.push(record);
  return records;
}

describe('R-MAP-21: names of columns', () => {
  const fieldsOf = async (kind: CsvKind, header: string) =>
    (await checkCsv(kind, `${header}\n`)).columns.map(({ field }) => field);

  test.each([
    'gültig bis',
    'Gu\u0308ltig bis',
    'gueltig bis',
    'Ablaufdatum',
    'einlösbar bis',
    'einzulösen bis',
    'Letzter Tag',
    'Last day',
    'Valid Until',
    'Expiration Date',
    'Expires At',
  ])('%s is the last day of a code', async (name) => {
    expect(await fieldsOf('coupons', `Code;${name}`)).toEqual(['coupon_code', 'use_by']);
  });

  test.each(['Gutschein', 'Aktionscode', 'Rabattcode', 'Discount Code'])('%s is a code', async (name) => {
    expect(await fieldsOf('coupons', `${name};Ablaufdatum`)).toEqual(['coupon_code', 'use_by']);
  });

  test.each([
    ['E-Mail-Adresse;Vorname;Nachname;Telefon', ['email', 'first_name', 'last_name', 'phone_number']],
    ['E-Mail;Vorname;Familienname;Handy', ['email', 'first_name', 'last_name', 'phone_number']],
    ['Billing Name,Customer Email,Billing Phone', ['name', 'email', 'phone_number']],
    [
      'Given Name,Family Name,E-mail 1 - Value,Phone 1 - Value',
      ['first_name', 'last_name', 'email', 'phone_number'],
    ],
    [
      'First Name,Last Name,E-mail Address,Mobile Phone',
      ['first_name', 'last_name', 'email', 'phone_number'],
    ],
  ])('%s holds people', async (header, fields) => {
    expect(await fieldsOf('users', header)).toEqual(fields);
  });

  test('the full name wins row by row, else first and last name; of phones the first that is filled', async () => {
    const rows = ['a@b.co,Ann Lee,Anna,Leigh,,2', 'b@b.co,,Bo,Berg,1,2', 'c@b.co,,,,,'];
    const records = await read(
      'users',
      `email,Full name,First name,Last name,Phone,Mobile\n${rows.join('\n')}\n`,
      {},
    );
    expect(records.map(({ cells: { name, phone_number } }) => [name, phone_number])).toEqual([
      ['Ann Lee', '2'],
      ['Bo Berg', '1'],
      ['', ''],
    ]);
  });
});

describe('R-MAP-22: columns that are ignored', () => {
  test.each<[CsvKind, string, string[]]>([
    ['coupons', 'code,use_by\nA,\n', []],
    ['coupons', 'Code;Wert;Notiz\nA;10;x\n', ['Wert', 'Notiz']],
    ['coupons', 'code,,\nA,,\nB,,x\n', ['column 3']],
    ['coupons', 'code,line,reason\nA,2,why\n', []],
    ['coupons', 'ABC-1;;\nABC-2;;\n', []],
    ['users', 'email,Vorname,Kurs\na@b.co,Ann,K\n', ['Vorname', 'Kurs']],
  ])('of %s in %j are %j', async (kind, text, ignored) => {
    expect((await checkCsv(kind, text)).ignored).toEqual(ignored);
  });
});

describe('R-MAP-23: last days', () => {
  const readDays = async (cells: string[]) => {
    const text = `code;use_by\n${cells.map((cell, at) => `C${at};${cell}`).join('\n')}\n`;
    const { dates } = await checkCsv('coupons', text);
    return (await read('coupons', text, { dates })).map(({ cells: { use_by } }) => use_by);
  };

  test.each([
    ['2026-12-31'],
    ['31.12.2026'],
    ['31. 12. 2026'],
    ['2026-12-31T23:59:59Z'],
    ['2026-12-31 23:59'],
    ['2026-12-31T23:59:59.000+01:00'],
    ['31.12.2026 23:59'],
    ['31/12/2026'],
    ['12/31/2026'],
    ['12/31/2026 11:59 PM'],
    ['31 Dec 2026'],
    ['31. Dezember 2026'],
    ['31 December 2026'],
    ['46387'],
  ])('%s is the 31st of December 2026', async (cell) => {
    expect(await readDays([cell])).toEqual(['2026-12-31']);
  });

  test('one day decides for the whole column what comes first', async () => {
    expect(await readDays(['03/04/2999', '13/04/2999'])).toEqual(['2999-04-03', '2999-04-13']);
    expect(await readDays(['03/04/2999', '04/13/2999'])).toEqual(['2999-03-04', '2999-04-13']);
    expect(await readDays(['05/05/2999'])).toEqual(['2999-05-05']);
    expect(await readDays(['1.2.2999', '03.04.2999'])).toEqual(['2999-02-01', '2999-04-03']);
  });

  test.each(['03/04/2999', '03/04/2999\nB;04/03/2999', '31/12/2999\nB;12/31/2999'])(
    '%j is doubtful: the file is refused, naming the choices, and read with one of them',
    async (days) => {
      const text = `code;use_by\nA;${days}\n`;
      await expect(checkCsv('coupons', text)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(
          /^use_by has days such as .* Send dates: 'dmy' for the day, or 'mdy' for the month$/,
        ),
      });
      for (const dates of ['dmy', 'mdy'] as const)
        expect(await checkCsv('coupons', text, { dates })).toMatchObject({ dates });
    },
  );

  test.each([
    '31.12.26',
    '31-12-2026',
    '2026/12/31',
    '32.12.2026',
    '31.02.2026',
    '2026-12-31x',
    '1798675200',
    '31 Foo 2026',
    'soon',
    '12/31/26',
    '20261231',
    '31.12.2026.',
  ])('%s is never made up into a day: the row is invalid', async (cell) => {
    const [record] = await read('coupons', `code;use_by\nA;${cell}\n`, { dates: 'dmy' });
    expect(record?.cells.use_by).toBe(cell);
    const tools = { today: '2026-01-01', use_by_default: null };
    expect(parseCoupons([record as CsvRecord], tools).errors).toHaveLength(1);
  });
});
