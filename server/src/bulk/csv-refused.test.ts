// Tests which files are refused as a whole, and the reasons.
import type { CsvKind, CsvOptions } from '@portal/contract';
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
