import type { FoundColumns } from '@portal/contract';
import { expect, test } from 'vitest';
import { sayNoNames } from './check-words.ts';

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
  expect(sayNoNames(kind, columns)).toBe(words);
});
