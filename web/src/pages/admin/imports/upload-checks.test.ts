import { IMPORT_LIMIT_BYTES } from '@portal/contract';
import { expect, test } from 'vitest';
import { announceLarge, refuseText, refuseUpload, UPLOAD_LIMIT_BYTES } from './upload-checks.ts';

const csv = { name: 'codes.csv', type: 'text/csv', size: 10 };
const picture = { name: 'codes.png', type: 'image/png', size: 10 };
const nothing = { hasProduct: false, file: picture, signedIn: false };

test('R-VAL-12, R-VAL-19, R-VAL-21, R-VAL-22, R-VAL-28, R-VAL-30, R-VAL-31: the product is asked for first, then the type, then the session (A-45)', () => {
  expect(refuseUpload({ kind: 'coupons', ...nothing })).toEqual({
    title: 'Missing required field',
    description: 'Please select a product before uploading coupons',
    variant: 'destructive',
  });
  expect(refuseUpload({ kind: 'users', ...nothing })?.description).toBe(
    'Please select at least one product before uploading users',
  );
  expect(refuseUpload({ kind: 'users', ...nothing, hasProduct: true })).toMatchObject({
    title: 'Invalid file type',
    description: 'Please upload a CSV file',
  });
  expect(refuseUpload({ kind: 'users', hasProduct: true, file: csv, signedIn: false })).toMatchObject({
    title: 'Authentication Required',
    description: 'Please log in again to upload users',
  });
  expect(refuseUpload({ kind: 'coupons', hasProduct: true, file: csv, signedIn: false })?.description).toBe(
    'Please log in again to upload coupons',
  );
  expect(refuseUpload({ kind: 'coupons', hasProduct: true, file: csv, signedIn: true })).toBeNull();
});

test('products need neither a product nor, before the server says so, a session', () => {
  expect(refuseUpload({ kind: 'products', ...nothing, file: csv })).toBeNull();
});

test.each([
  ['a.csv', 'application/vnd.ms-excel', true],
  ['A.CSV', '', true],
  ['a.txt', 'text/csv', true],
  ['a.txt', 'application/csv', true],
  ['a.xls', 'application/vnd.ms-excel', false],
  ['csv', 'text/plain', false],
])('R-VAL-12, R-VAL-13: %s of type %s is CSV: %s', (name, type, expected) => {
  const refusal = refuseUpload({ kind: 'products', ...nothing, file: { name, type, size: 1 } });
  expect(refusal === null).toBe(expected);
});

test('a file that the server would not take is not sent', () => {
  expect(UPLOAD_LIMIT_BYTES).toBe(IMPORT_LIMIT_BYTES);
  const file = { ...csv, size: UPLOAD_LIMIT_BYTES + 1 };
  expect(refuseUpload({ kind: 'products', ...nothing, file })?.description).toMatch(/64 MB/);
});

test('R-VAL-14, R-VAL-20, R-VAL-29: blank text is an empty file; a header alone is not (A-44)', () => {
  expect(refuseText(' \r\n\n')).toMatchObject({
    title: 'Empty file',
    description: 'The CSV file appears to be empty',
  });
  expect(refuseText('coupon_code')).toBeNull();
});

const file = (records: number) => `header\r\n${'x\r\n\r\n'.repeat(records)}`;

test.each([
  ['users', 100, 101],
  ['coupons', 1000, 1001],
] as const)(
  'R-CONST-01, R-CONST-02, R-CONST-03, R-CONST-04, R-CONST-05: %s are announced above %i records, counted without blank lines',
  (kind, most, more) => {
    expect(announceLarge(kind, file(most))).toBeNull();
    expect(announceLarge(kind, file(more))).toEqual({
      title: 'Processing Large Upload',
      description: `Your file has ${more.toLocaleString('en')} records. This can take a minute.`,
      durationMs: 8000,
    });
  },
);

test('products are never announced', () => {
  expect(announceLarge('products', file(5000))).toBeNull();
});
