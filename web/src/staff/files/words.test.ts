import { type FoundColumns, IMPORT_LIMIT_BYTES } from '@portal/contract';
import { de } from '@portal/contract/german';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test } from 'vitest';
import { setCurrentLocale } from '../../words/format.ts';
import { newJob, newUpload } from './follow.ts';
import { RefusedFile } from './upload.tsx';
import {
  announceLarge,
  formatFile,
  formatLeftOut,
  formatNoNames,
  formatResults,
  formatStopped,
  refuseText,
  refuseUpload,
  tallyOf,
} from './words.ts';

afterEach(() => setCurrentLocale({ language: 'en', locale: 'en', catalogue: null }));

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
  const file = { ...csv, size: IMPORT_LIMIT_BYTES + 1 };
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

const CODE = 'No column names found: the first line was taken as a code.';
const ADDRESS = 'No column names found: the first line was taken as an address.';
const found = (header: boolean, ...fields: (string | null)[]): FoundColumns => ({
  header,
  columns: fields.map((field) => ({ name: header ? 'a name' : null, field })),
});

test.each([
  ['one column', 'coupons', found(false, 'coupon_code'), CODE],
  ['one column of addresses', 'users', found(false, 'email'), ADDRESS],
  ['a column with a name', 'coupons', found(true, 'coupon_code'), null],
  ['a column with a name and separators', 'coupons', found(true, 'coupon_code', null), null],
  ['the first of two columns, which staff chose', 'coupons', found(false, 'coupon_code', null), null],
  ['two columns that staff chose', 'coupons', found(false, 'coupon_code', 'use_by'), null],
  ['the second column, which staff chose', 'coupons', found(false, null, 'coupon_code'), null],
  ['a file without a line', 'coupons', found(false), null],
  ['an import of an old version', 'coupons', null, null],
] as const)('R-IMP-14: %s', (_name, kind, columns, words) => {
  expect(formatNoNames(kind, columns)).toBe(words);
});

const none = { success: 0, failures: 0, duplicates: 0, productAccess: 0, generated: 0, total: 0 };

test('R-ERR-23, R-CONST-06: products: how many were created and how many not, for 8000 ms', () => {
  expect(formatResults('products', { ...none, success: 1200, failures: 1, total: 1201 })).toEqual({
    title: 'Import Complete',
    description: 'Successfully created 1200 products. Failed to create 1 products.',
    variant: 'default',
    durationMs: 8000,
  });
});

test('R-ERR-24, R-ERR-25, R-CONST-07: users: the title changes above 50 records', () => {
  const results = { ...none, success: 40, failures: 1, duplicates: 1, productAccess: 1093, total: 50 };
  expect(formatResults('users', results)).toMatchObject({
    title: 'Import Complete',
    description:
      'Processed 50 records: 40 users created, 1 duplicates found, 1093 product access granted, 1 failed',
  });
  expect(formatResults('users', { ...results, total: 51 }).title).toBe('Bulk User Import Complete');
});

test('R-ERR-26, R-ERR-27, R-ERR-28, R-CONST-07: coupons: the title changes above 100 rows', () => {
  const results = { ...none, success: 90, failures: 4, duplicates: 6, total: 100 };
  expect(formatResults('coupons', { ...none, success: 1000, duplicates: 1, total: 1001 }).description).toBe(
    '1000 created, 1 duplicates skipped, 0 failed',
  );
  expect(formatResults('coupons', results)).toMatchObject({
    title: 'Import Complete',
    description: '90 created, 6 duplicates skipped, 4 failed',
  });
  expect(formatResults('coupons', { ...results, total: 101 }).title).toBe('Bulk Import Complete');
});

test('A-89: codes that the portal generated for blank rows are named apart', () => {
  const results = { ...none, success: 27, failures: 1, generated: 25, total: 28 };
  expect(formatResults('coupons', results).description).toBe(
    '27 created, 0 duplicates skipped, 1 failed. 25 codes were generated by the portal. The partner does not know them yet.',
  );
  expect(formatResults('coupons', { ...results, generated: 1 }).description).toContain(
    '1 code was generated',
  );
});

test.each(['products', 'users', 'coupons'] as const)(
  'R-ERR-29, A-37: %s: destructive when nothing was created, duplicates only included',
  (kind) => {
    expect(formatResults(kind, none).variant).toBe('destructive');
    expect(formatResults(kind, { ...none, duplicates: 3, failures: 1, total: 4 }).variant).toBe(
      'destructive',
    );
    expect(formatResults(kind, { ...none, duplicates: 3, total: 3 }).variant).toBe('destructive');
    expect(formatResults(kind, { ...none, success: 1, failures: 9, total: 10 }).variant).toBe('default');
  },
);

test('the summary counts what the toast says', () => {
  const results = { ...none, success: 1, failures: 2, duplicates: 3, productAccess: 4, total: 6 };
  expect(tallyOf('products', { ...results, duplicates: 0 }).map((part) => part.count)).toEqual([1, 2]);
  expect(tallyOf('products', results).map((part) => part.count)).toEqual([1, 3, 2]);
  expect(tallyOf('coupons', results).map((part) => part.count)).toEqual([1, 3, 2]);
  expect(tallyOf('users', results).map((part) => part.count)).toEqual([1, 3, 4, 2]);
});

test('R-IMP-16, C-11: on a German page, the reason of the server is German', () => {
  const reason = 'This looks like a file of users (email, name). You are uploading codes.';
  const job = { ...newJob('coupons', 'a.csv'), reason };
  const read = () => [
    renderToStaticMarkup(createElement(RefusedFile, { shown: newUpload({ ...job, state: 'refused' }) })),
    formatStopped({ ...job, state: 'failed' }),
  ];
  for (const text of read()) expect(text).toContain(reason);
  setCurrentLocale({ language: 'de', locale: 'de-DE', catalogue: de });
  for (const text of read()) expect(text).toContain('Das sieht nach ');
});

test('R-IMP-16: an upload of another program may have no name', () => {
  expect(formatFile({ file_name: null })).toBe('CSV file');
});

test('R-MAP-14: lines that are no data are named by reason, with their numbers', () => {
  const lines = [1, 2, 3, 5, 1200].map((line) => ({ line, why: 'comment' as const }));
  const leftOut = [{ line: 4, why: 'title' as const }, ...lines];
  expect(formatLeftOut([])).toBeNull();
  expect(formatLeftOut(leftOut)).toBe('Lines left out: titles: 4; comments: 1–3, 5, 1,200');
  setCurrentLocale({ language: 'de', locale: 'de', catalogue: de });
  expect(formatLeftOut(leftOut)).toBe('Ausgelassene Zeilen: Überschriften: 4; Kommentare: 1–3, 5, 1.200');
});
