import { expect, test } from 'vitest';
import { sayResults, tallyOf } from './result-words.ts';

const none = { success: 0, failures: 0, duplicates: 0, productAccess: 0, total: 0 };

test('R-ERR-23, R-CONST-06: products: how many were created and how many not, for 8000 ms', () => {
  expect(sayResults('products', { ...none, success: 1200, failures: 1, total: 1201 })).toEqual({
    title: 'Import Complete',
    description: 'Successfully created 1,200 products. Failed to create 1 products.',
    variant: 'default',
    durationMs: 8000,
  });
});

test('R-ERR-24, R-ERR-25, R-CONST-07: users: the title changes above 50 records', () => {
  const results = { success: 40, failures: 1, duplicates: 1, productAccess: 1093, total: 50 };
  expect(sayResults('users', results)).toMatchObject({
    title: 'Import Complete',
    description:
      'Processed 50 records: 40 users created, 1 duplicate found, 1,093 product access granted, 1 failed',
  });
  expect(sayResults('users', { ...results, total: 51 }).title).toBe('Bulk User Import Complete');
});

test('R-ERR-26, R-ERR-27, R-ERR-28, R-CONST-07: coupons: the title changes above 100 rows', () => {
  const results = { ...none, success: 90, failures: 4, duplicates: 6, total: 100 };
  expect(sayResults('coupons', { ...none, success: 1000, duplicates: 1, total: 1001 }).description).toBe(
    '1,000 created, 1 duplicate skipped, 0 failed',
  );
  expect(sayResults('coupons', results)).toMatchObject({
    title: 'Import Complete',
    description: '90 created, 6 duplicates skipped, 4 failed',
  });
  expect(sayResults('coupons', { ...results, total: 101 }).title).toBe('Bulk Import Complete');
});

test.each(['products', 'users', 'coupons'] as const)(
  'R-ERR-29: %s: destructive when nothing was created, unless all of it is there already',
  (kind) => {
    expect(sayResults(kind, none).variant).toBe('destructive');
    expect(sayResults(kind, { ...none, duplicates: 3, failures: 1, total: 4 }).variant).toBe('destructive');
    expect(sayResults(kind, { ...none, duplicates: 3, total: 3 }).variant).toBe('default');
    expect(sayResults(kind, { ...none, success: 1, failures: 9, total: 10 }).variant).toBe('default');
  },
);

test('the summary counts what the toast says', () => {
  const results = { success: 1, failures: 2, duplicates: 3, productAccess: 4, total: 6 };
  expect(tallyOf('products', results).map((part) => part.count)).toEqual([1, 2]);
  expect(tallyOf('coupons', results).map((part) => part.count)).toEqual([1, 3, 2]);
  expect(tallyOf('users', results).map((part) => part.count)).toEqual([1, 3, 4, 2]);
});
