import { expect, test } from 'vitest';
import { readMapping, toOptions } from './mapping.ts';
import { askBlanks, askColumns, askDates } from './questions.tsx';

test.each([
  ['coupons', 'coupon_code\nA-1'],
  ['coupons', 'Gutscheincode;use by\nA-1;'],
  ['users', 'e-mail;name\na@b.example;A'],
  // One address for each line.
  ['users', 'a@b.example\nc@d.example'],
  // The server refuses these files with a reason.
  ['coupons', 'email,name\na@b.example,A'],
  ['products', 'a,b\n1,2'],
  ['coupons', 'a,b\n"1,2'],
  ['coupons', ' \n'],
] as const)('%s: nothing is asked about the columns of %j', (kind, text) => {
  expect(askColumns(kind, text)).toBeNull();
});

test('R-IMP-14: unknown columns are asked about, with the first five lines that have text', () => {
  const text = 'Datum;Nr\n;;\n1;A-1\n2;A-2\n3;A-3\n4;A-4\n5;A-5\n';
  expect(askColumns('coupons', text)).toMatchObject({
    about: 'map',
    mapping: {
      why: 'unknown',
      separator: ';',
      lines: [
        ['Datum', 'Nr'],
        ['1', 'A-1'],
        ['2', 'A-2'],
        ['3', 'A-3'],
        ['4', 'A-4'],
      ],
    },
  });
  expect(askColumns('users', 'Datum;Wer\n1;a@b.example')).toMatchObject({
    about: 'map',
    mapping: { why: 'unknown' },
  });
  // A shop's list: one column is known, but not the one that is needed.
  expect(askColumns('users', 'Billing Email,Phone\na@b.example,1')).toMatchObject({
    about: 'map',
    mapping: { why: 'unknown' },
  });
});

test('N-37: the unknown first line of a file of one column is asked about', () => {
  expect(askColumns('coupons', 'A-1\nA-2')).toEqual({ about: 'first-line', lines: [['A-1'], ['A-2']] });
  expect(askColumns('users', 'Adresse\na@b.example')).toMatchObject({ about: 'first-line' });
});

test('R-IMP-15: codes and blank rows together are counted; empty lines are no rows', async () => {
  const count = (text: string, options = {}) => askBlanks(text, options);
  expect(await count('code,use_by\nA,\n,2099-01-01\n,,\n\nB,\n')).toEqual({
    about: 'blanks',
    codes: 2,
    blanks: 1,
  });
  expect(await count('code\nA\n""\n\n')).toEqual({ about: 'blanks', codes: 1, blanks: 1 });
  expect(await count('x,y\n1,A\n2,', { columns: { coupon_code: 2 }, header: true })).toMatchObject({
    codes: 1,
    blanks: 1,
  });
  expect(await count('code\nA\nB')).toBeNull();
  expect(await count('code,use_by\n,2099-01-01')).toBeNull();
  expect(await count('code\n"A')).toBeNull();
});

test('N-321: a file with too many columns or too long a cell is not sent', async () => {
  const wide = 'The CSV file cannot be read: line 1 has more than 1,000 columns';
  for (const kind of ['coupons', 'users'] as const)
    expect(() => askColumns(kind, `${','.repeat(5_000_000)}\nA\n`)).toThrow(wide);
  expect(() => askColumns('coupons', `a,b\n1,${'x'.repeat(100_001)}\n`)).toThrow(/cell on line 2 has more/);
  await expect(askBlanks(`code,x\n${'A,1\n'.repeat(9)}A${','.repeat(1_000)}\n`, {})).rejects.toThrow(
    'The CSV file cannot be read: line 11 has more than 1,000 columns',
  );
});

test.each([
  ['coupons', 'Code;Ende;Wert\nA;31.12.2999;1\n', ['Ende', 'Wert']],
  ['coupons', 'Code;\nA;2999-12-31\n', ['column 2']],
  ['coupons', "Code;Ende\nA;'31.12.2999\n", ['Ende']],
  // The column of the last days has no text.
  ['coupons', 'Code;Ablaufdatum;Ende\nA;;31.12.2999\n', ['Ende']],
  ['users', 'email;Vorname\na@b.co;Ann\n', ['Vorname']],
  ['users', 'email;name;Kontakt\n;Ann;a@b.co\n;Bo;b@b.co\n', ['Kontakt']],
] as const)('R-MAP-22: before %s of %j are imported, the page asks about %j', (kind, text, names) => {
  expect(askColumns(kind, text, {}, { imports: true })).toMatchObject({
    about: 'map',
    mapping: { why: 'ignored', ignored: names },
  });
  expect(askColumns(kind, text), 'a check names them').toBeNull();
});

test.each([
  ['coupons', 'Code;Wert\nA;10\n'],
  // Another column has the last days.
  ['coupons', 'Code;Ablaufdatum;Verkauft\nA;31.12.2999;1.1.2026\n'],
  ['coupons', 'Code;Ende\nA;31.12.2999\nB;x\n'],
  ['users', 'email;name;Vorname\na@b.co;Ann;Ann\n'],
  ['users', 'email;Kurs\na@b.co;K\n'],
  ['users', 'email;name;Kontakt\na@b.co;Ann;c@b.co\n'],
  // A file of codes has no field for addresses.
  ['coupons', 'Code;Kontakt\nA;a@b.co\n'],
  ['products', 'name,description,url,Preis\nA,B,c.example,1\n'],
] as const)('R-MAP-22: nothing is asked before %s of %j are imported', (kind, text) => {
  expect(askColumns(kind, text, {}, { imports: true })).toBeNull();
});

test('R-MAP-22: a file of people whose only addresses are in an unknown column asks for the column', () => {
  expect(askColumns('users', 'Vorname;Kontakt\nAnn;a@b.co\n')).toMatchObject({
    about: 'map',
    mapping: { why: 'unknown' },
  });
});

test('R-MAP-14: lines that are no data are neither codes nor days', async () => {
  const text = 'Codes,,\ncode,use_by,x\nA,3.4.2999,1\n#B,03/04/2999,1\ncode,use_by,x\nSumme,,2\n';
  expect(askColumns('coupons', text)).toBeNull();
  expect(await askBlanks(text, {})).toBeNull();
  expect(await askDates(text, {})).toBeNull();
});

test('R-MAP-23: days that can be read in two ways are asked about, unless one day decides', async () => {
  const example = '03/04/2999';
  expect(await askDates(`code,use_by\nA,${example}\n`, {})).toEqual({ about: 'dates', example });
  expect(await askDates(`code,use_by\nA,${example}\nB,13/04/2999\n`, {})).toBeNull();
  expect(await askDates('code,use_by\nA,3.4.2999\nB,05/05/2999\n', {})).toBeNull();
  expect(await askDates('code\nA\n', {})).toBeNull();
});

test.each([
  ['coupons', 'Nr;Bis\nA;31.12.2999\nB;1.1.2999\n', [null, 'use_by']],
  // Apostrophes that Excel and the reader of workbooks add are no part of a value.
  ['coupons', "Nr;Bis\nA;'31.12.2999\n", [null, 'use_by']],
  ['coupons', 'Nr;Geliefert;Bis\nA;1.1.2020;31.12.2999\n', [null, null, 'use_by']],
  // Two columns have later days, so none is suggested.
  ['coupons', 'Nr;Von;Bis\nA;1.1.2999;2.1.2999\n', [null, null, null]],
  ['coupons', 'Code;Ablaufdatum;Ende\nA;;31.12.2999\n', ['coupon_code', null, 'use_by']],
  ['coupons', 'Code;Gutschein\nA;B\n', ['coupon_code', null]],
  ['users', 'Wer;Vorname;Handy\na@b.co;Ann;1\n', ['email', 'first_name', 'phone_number']],
  ['users', `Wer;x\n${'a@b.co;1\n'.repeat(9)}none;1\n`, ['email', null]],
  ['users', `Wer;x\n${'a@b.co;1\n'.repeat(8)}none;1\n`, [null, null]],
  ['users', 'email;name;Vorname\na@b.co;Ann Lee;Ann\n', ['email', 'name', null]],
  ['products', 'Name;Beschreibung;URL\nA;B;C\n', ['name', null, 'url']],
] as const)('R-MAP-20: %s: the fields of %j are suggested by name and content', (kind, text, fields) => {
  expect(readMapping(kind, text, {})?.fields).toEqual(fields);
});

test('R-MAP-20: choices of staff say every field, so that nothing else is recognised by its name', () => {
  const text = 'Liste\ncode;Ablaufdatum;Bis\nA;;31.12.2999\n';
  const mapping = readMapping('coupons', text, {});
  expect(mapping).toMatchObject({ skipped: 1, header: true, separator: ';' });
  const options = toOptions('coupons', {
    ...mapping,
    fields: [null, 'coupon_code', null],
    header: true,
    skipped: 1,
  });
  expect(options).toEqual({ columns: { coupon_code: 2, use_by: 0 }, header: true, skip_lines: 1 });
  expect(askColumns('coupons', text, {}, { asks: true })).toMatchObject({ mapping: { why: 'ignored' } });
  expect(askColumns('coupons', 'code\nA\n', {}, { asks: true })).toMatchObject({ mapping: { why: 'clear' } });
  expect(askColumns('coupons', 'A-1;;\nA-2;;\n', {}, { imports: true })).toMatchObject({
    about: 'first-line',
  });
  expect(askColumns('coupons', 'A-1\nA-2\n', {}, { asks: true })).toMatchObject({ about: 'map' });
  // The names say that both columns are phones.
  const phones = readMapping('users', 'email;Telefon;Handy\na@b.co;1;2\n', {});
  expect(phones && toOptions('users', phones).columns).not.toHaveProperty('phone_number');
});
