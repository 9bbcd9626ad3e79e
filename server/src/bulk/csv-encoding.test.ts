// Tests how the bytes of a file of codes or people become text (R-MAP-13).
import {
  type CsvKind,
  decodeAs,
  decodeCsv,
  type Encoding,
  findEncoding,
  markUnstorable,
} from '@portal/contract';
import { describe, expect, test } from 'vitest';
import { type CsvRecord, parseCoupons, parseUsers, readCsv } from './read-file.ts';

async function read(kind: CsvKind, text: string): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of readCsv(kind, text, {})) records.push(record);
  return records;
}

describe('R-MAP-13: a byte that is not UTF-8 makes its row invalid, and no other row is read differently', () => {
  const STRAY = Buffer.from([0xe9]);
  const people = (...rows: (string | Buffer)[]) => Buffer.concat(rows.map((row) => Buffer.from(row)));
  const readPeople = async (file: Buffer) => parseUsers(await read('users', markUnstorable(decodeCsv(file))));
  const ROWS = ['email,name\na@b.co,Zoë Größe\nc@d.co,Ren', STRAY, '\ne@f.co,Łukasz\n'];

  test.each([
    ['without a mark', people(...ROWS)],
    ['with a mark', people('\uFEFF', ...ROWS)],
  ])('%s', async (_how, file) => {
    const { rows, errors } = await readPeople(file);
    expect(rows.map(({ name }) => name)).toEqual(['Zoë Größe', 'Łukasz']);
    expect(errors.map(({ row }) => row)).toEqual([3]);
  });

  test('with a mark, also if no other character is beyond ASCII', async () => {
    const { rows, errors } = await readPeople(
      people('\uFEFFemail,name\na@b.co,Ren', STRAY, '\nc@d.co,Ann\n'),
    );
    expect({ valid: rows.length, invalid: errors.map(({ row }) => row) }).toEqual({ valid: 1, invalid: [2] });
  });

  test('in an ignored column and in a code', async () => {
    const file = people('code,note\nÄ-1,ü\nB', STRAY, ',x\nC,', STRAY, '\nD,ö\n');
    const records = await read('coupons', markUnstorable(decodeCsv(file)));
    const { rows, errors } = parseCoupons(records, { today: '2026-01-01', use_by_default: null });
    expect(rows.map(({ coupon_code }) => coupon_code)).toEqual(['Ä-1', 'D']);
    expect(errors.map(({ row }) => row)).toEqual([3, 4]);
  });

  test('a file whose bytes beyond ASCII are all no UTF-8 stays Windows-1252', async () => {
    const { rows, errors } = await readPeople(
      Buffer.from('email,name\na@b.co,Ren\xe9\nc@d.co,J\xfcrgen\n', 'latin1'),
    );
    expect(rows.map(({ name }) => name)).toEqual(['René', 'Jürgen']);
    expect(errors).toEqual([]);
  });
});

describe('R-MAP-13: a file is read in the encoding that is named', () => {
  test.each<[Encoding, string, string]>([
    ['windows-1250', 'a3756b61737a', 'Łukasz'],
    ['windows-1251', 'c8e2e0ed', 'Иван'],
    ['windows-1252', '5a6feb', 'Zoë'],
    ['macintosh', '4a9f7267656e', 'Jürgen'],
    ['shift_jis', '8e5293638bbe', '山田鏡'],
  ])('%s', (encoding, hex, name) => {
    expect(decodeAs(Buffer.from(hex, 'hex'), encoding)).toBe(name);
  });

  test('bytes that the encoding does not have are marked', () => {
    expect(decodeAs(Buffer.from('8e52ff41', 'hex'), 'shift_jis')).toBe('山\uFFFFA');
  });

  test('the encoding that is found is named', () => {
    const files = ['c384', 'efbbbf41', 'fffe4100', 'feff0041', 'e4'].map((hex) => Buffer.from(hex, 'hex'));
    expect(files.map(findEncoding).join()).toBe('utf-8,utf-8,utf-16le,utf-16be,windows-1252');
  });
});
