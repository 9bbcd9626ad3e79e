import { describe, expect, test } from 'vitest';
import { countCsvRecords, csvFieldOf, csvKinds } from './csv.ts';
import { newProduct } from './products.ts';

test('R-VAL-15, R-CAT-03: each field of a new product but perks and place is a column of its file', () => {
  const { required, optional } = csvKinds.products;
  const columns = [...required, ...optional, 'perks', 'position'];
  expect(columns.sort()).toEqual(Object.keys(newProduct.shape).sort());
});

// The columns that a file may have, and that the sample file does not have: R-ACPN-13 and R-APROD-06 prescribe it.
const NOT_IN_SAMPLE: Record<string, string[]> = {
  coupons: ['use_by'],
  products: ['category', 'value', 'terms'],
};
test.each(Object.entries(csvKinds))(
  'the sample of %s has each column that the specification prescribes',
  (kind, { required, optional, sample }) => {
    const others = NOT_IN_SAMPLE[kind] ?? [];
    const columns = [...required, ...optional].filter((name) => !others.includes(name));
    expect(sample.text.split('\r\n')[0]).toBe(columns.join(','));
  },
);

describe('R-CONST-05: records are counted', () => {
  test.each([
    ['without the header', 'name\nAda\nGrace', 2],
    ['by any line break', 'name\r\nAda\rGrace\nMary', 3],
    ['without lines of spaces', '\n name\n \t\n\u00a0\u2028\nAda\n\n', 1],
    ['never below zero', '', 0],
  ])('%s', (_how, text, records) => {
    expect(countCsvRecords(text)).toBe(records);
  });
});

test('R-MAP-01: the name of a column is found without its invisible signs', () => {
  expect(csvFieldOf('coupons', '\uFEFFCoupon\u200B\u00A0Code')).toBe('coupon_code');
});

test('R-MAP-40, N-315: the name of a column is found without the time zone that an export adds', () => {
  const zones = ['use_by (Europe/Berlin)', 'use_by (UTC)', 'Use by (America/Argentina/Ushuaia)'];
  expect(zones.map((name) => csvFieldOf('coupons', name))).toEqual(['use_by', 'use_by', 'use_by']);
  expect(csvFieldOf('coupons', 'use_by (old)')).toBeNull();
  expect(csvFieldOf('users', 'email (work/home)')).toBeNull();
});
