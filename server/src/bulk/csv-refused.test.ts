// Tests which files are refused as a whole, and the reasons.
import { deflateRawSync, gzipSync } from 'node:zlib';
import { type CsvKind, type CsvOptions, decodeCsv, markUnstorable } from '@portal/contract';
import { describe, expect, test } from 'vitest';
import { checkCsv } from './read-file.ts';

describe('R-IMP-05, R-IMP-14, R-MAP-10: a file is refused', () => {
  test.each<[CsvKind, string, string, CsvOptions?]>([
    ['coupons', 'foo,bar\nA,1\n', "The CSV file has no column 'coupon_code'. Its columns are 'foo', 'bar'"],
    ['coupons', 'use_by,x\nA,1\n', "The CSV file has no column 'coupon_code'"],
    ['coupons', 'Code;Gift Code\nA;B\n', "Two columns mean coupon_code: 'Code' and 'Gift Code'"],
    ['users', 'email,Name,Billing Name\n', "Two columns mean name: 'Name' and 'Billing Name'"],
    ['users', 'email,E-Mail,name\n', "Two columns mean email: 'email' and 'E-Mail'"],
    ['users', 'Ada,a@b.co\n', "The CSV file has no column 'email'. Its columns are 'Ada', 'a@b.co'"],
    ['users', 'name\nAda\n', "The CSV file has no column 'email'"],
    ['products', 'name,description\nA,B\n', "The CSV file has no column 'url'"],
    [
      'products',
      'Tool\n',
      "The CSV file has no column 'name' and 'description' and 'url'. Its columns are 'Tool'",
    ],
    [
      'coupons',
      'email,name\na@b.co,A\n',
      'This looks like a file of users (email, name). You are uploading codes.',
    ],
    ['coupons', 'a@b.co\nc@d.co\n', 'This looks like a file of users (email). You are uploading codes.'],
    ['users', 'Voucher\nA\n', 'This looks like a file of codes (coupon_code). You are uploading users.'],
    [
      'users',
      'name,description,url\n',
      'This looks like a file of products (name, description, url). You are uploading users.',
    ],
    [
      'products',
      'e-mail;name\n',
      'This looks like a file of users (email, name). You are uploading products.',
    ],
    [
      'coupons',
      'code\nA\n"B\nC\n',
      'The CSV file cannot be read: a cell on line 3 begins with a quote that is never closed',
    ],
    [
      'coupons',
      'x,code\n1,A\n2, "B\n3,C\n',
      'The CSV file cannot be read: a cell on line 3 begins with a quote that is never closed',
    ],
    [
      'coupons',
      '"code\nA\n',
      'The CSV file cannot be read: a cell on line 1 begins with a quote that is never closed',
    ],
    [
      'coupons',
      'x,y\nA,B\n',
      'columns.coupon_code is 3, but the first line has 2 columns',
      { columns: { coupon_code: 3 } },
    ],
    [
      'coupons',
      'x,y\nA,B\n',
      "The CSV file has no column 'coupon_code'. Its columns are 'x', 'y'",
      { header: false },
    ],
  ])('%s: %j', async (kind, text, message, options) => {
    await expect(checkCsv(kind, text, options)).rejects.toMatchObject({ code: 'invalid_request', message });
  });
});

describe('R-MAP-12: content that is not CSV is refused, whatever the name of the file', () => {
  const zip = (name: string) => {
    const head = Buffer.alloc(30);
    head.write('PK\x03\x04', 'latin1');
    head.writeUInt16LE(name.length, 26);
    return Buffer.concat([head, Buffer.from(name), deflateRawSync('code,use_by\nA,\n'.repeat(100))]);
  };
  const bytes = (...all: number[]) => Buffer.from(all);

  test.each<[looks: string, file: Buffer]>([
    ['an Excel workbook (.xlsx)', zip('xl/workbook.xml')],
    ['a ZIP archive', zip('codes.csv')],
    ['an Excel workbook (.xls)', bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0)],
    ['a PDF document', Buffer.from('%PDF-1.7\ncode,use_by\nA,\n')],
    ['an RTF document', Buffer.from('{\\rtf1 code\nA\n}')],
    ['an HTML page', Buffer.from('\uFEFF\n<!DOCTYPE html><html><p>code\nA')],
    ['an HTML page', Buffer.from('<table><tr><td>code</td></tr></table>')],
    ['an HTML page', Buffer.from('<!-- codes -->\ncode\nA\n')],
    ['an XML document', Buffer.from('<?xml version="1.0"?>\n<codes/>')],
    ['JSON', Buffer.from('[\n  {"code": "A", "use_by": ""},\n  {"code": "B"}\n]\n')],
    ['JSON', Buffer.from('{"code":"A"}\n{"code":"B"}\n')],
    ['JSON', Buffer.from('["code","A"]')],
    ['JSON', Buffer.from('{}\n')],
    ['binary data', gzipSync('code\nA\n')],
    ['binary data', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13)],
    ['binary data', bytes(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46)],
    ['binary data', Buffer.from('code,x\nA,1\n', 'utf16le')],
    ['binary data', Buffer.from(`code\n${'A\x01\x02BCDEFGHIJKLMNOPQ\n'.repeat(50)}`)],
  ])('%s: %#', async (looks, file) => {
    const message = `This is not a CSV file: it looks like ${looks}. Save it as CSV and upload that file.`;
    // A script may send the bytes as invalid UTF-8.
    for (const text of [decodeCsv(file), file.toString('utf8')])
      for (const kind of ['coupons', 'users', 'products'] as const)
        await expect(checkCsv(kind, markUnstorable(text))).rejects.toMatchObject({ message });
  });

  test.each([
    ['[A]\n[B]\n', 2],
    ['{A}\n{B}\n', 2],
    ['<A>\n<B>\n', 2],
    ['PK-1\nPK-2\n', 2],
    ['code\nA\u0007\n', 1],
    ['%PDF\nB\n', 2],
  ])('%j can be codes', async (text, records) => {
    expect(await checkCsv('coupons', text)).toMatchObject({ records });
  });
});
