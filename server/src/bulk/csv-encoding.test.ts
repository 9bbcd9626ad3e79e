// Tests how the bytes of a file of codes or people become text (R-MAP-13).
import {
  type CsvKind,
  chooseEncoding,
  decodeAs,
  decodeCsv,
  type Encoding,
  findEncoding,
  markUnstorable,
  takeSample,
} from '@portal/contract';
import { detectAll } from 'jschardet';
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

describe('R-MAP-13: the detector chooses among the encodings that are not Unicode', () => {
  const SIGNS = Array.from({ length: 0x10000 }, (_sign, at) => at);
  /** Returns the text in the encoding. `decodeAs` has no inverse, so all pairs of bytes are tried. */
  function encode(text: string, encoding: Encoding): Buffer {
    const bytes = new Map<string, number[]>();
    for (const at of encoding === 'shift_jis' ? SIGNS : SIGNS.slice(0, 0x100)) {
      const each = at > 0xff ? [at >> 8, at & 0xff] : [at];
      const sign = decodeAs(Uint8Array.from(each), encoding);
      if ([...sign].length === 1 && sign !== '\uFFFF' && !bytes.has(sign)) bytes.set(sign, each);
    }
    return Buffer.from([...text].flatMap((sign) => bytes.get(sign) ?? []));
  }
  const detect = (bytes: Uint8Array) => {
    const sample = takeSample(bytes);
    return sample === null ? findEncoding(bytes) : chooseEncoding(detectAll(sample), sample);
  };

  test.each<[Encoding, string]>([
    ['windows-1252', 'email;name\na@b.de;Jörg Müller\nc@d.de;Anna Weiß'],
    ['windows-1252', 'email;name\na@b.es;José Muñoz\nb@c.es;Íñigo Peña'],
    ['windows-1252', 'Code;Produkt\nA1;Für Sie – 10 € Rabatt'],
    ['windows-1250', 'email;name\na@b.cz;Jiří Dvořák\nb@c.cz;Šárka Nováková'],
    ['windows-1250', 'email;name\na@b.pl;Łukasz Wiśniewski\nc@d.pl;Paweł Żółć'],
    ['windows-1250', 'email;name\na@b.hu;Erdős Győző'],
    ['windows-1251', 'email;name\na@b.ru;Иван Петров\nb@c.ru;Мария Иванова'],
    ['windows-1251', 'Код;Срок\nA1;31.12.2026'],
    ['macintosh', 'email;name\na@b.fr;Hélène Lefèvre\nb@c.fr;François'],
    ['shift_jis', 'email;name\na@b.jp;山田 太郎\nb@c.jp;鈴木 花子'],
    ['shift_jis', 'コード,期限\nA1,2026-12-31'],
    ['utf-8', 'email;name\na@b.de;Jörg'],
  ])('%s: %j', (encoding, text) => {
    const bytes = encoding === 'utf-8' ? Buffer.from(text) : encode(text, encoding);
    // Lines of ASCII before and behind do not change the choice.
    const ascii = 'x@y.example;Ann Lee\n'.repeat(20_000);
    expect(detect(bytes)).toBe(encoding);
    expect(detect(Buffer.concat([Buffer.from(ascii), bytes, Buffer.from(`\n${ascii}`)]))).toBe(encoding);
    expect(decodeAs(bytes, encoding)).toBe(text);
  });

  test('N-306: Mac Roman is not guessed if the file can be Windows-1252; other content is not detected', () => {
    expect(detect(encode('email;name\na@b.de;Jürgen', 'macintosh'))).toBe('windows-1252');
    expect(detect(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))).toBe('windows-1252');
  });
});
