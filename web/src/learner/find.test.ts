import { expect, test } from 'vitest';
import { findBenefits, hasFinder, listCategories } from './find.ts';

const benefit = (name: string, category: string | null = null, description = '') => ({
  name,
  category,
  description,
});
const NOTES = benefit('Café Notes', 'Writing', 'Keeps what you read.');
const VOICE = benefit('Clear Voice', 'Audio', 'Removes noise from calls.');
const PLAIN = benefit('Plain Tool');
const ALL = [NOTES, VOICE, PLAIN];

test.each([
  [6, false],
  [7, true],
])('R-CAT-11: with %i products, there is a search: %s', (count, expected) => {
  expect(hasFinder(Array.from({ length: count }, () => PLAIN))).toBe(expected);
});

test('R-CAT-11, N-243: categories are sorted, and there are none unless two differ', () => {
  expect(listCategories(ALL, 'en')).toEqual(['Audio', 'Writing']);
  expect(listCategories([NOTES, NOTES, PLAIN], 'en')).toEqual([]);
});

test.each([
  ['', '', ALL],
  ['  cafe ', '', [NOTES]],
  ['CALLS clear', '', [VOICE]],
  ['audio', '', [VOICE]],
  ['', 'Writing', [NOTES]],
  ['voice', 'Writing', []],
  ['', 'No such', []],
])('R-CAT-11: "%s" in the category "%s" is found', (q, category, expected) => {
  expect(findBenefits(ALL, { q, category })).toEqual(expected);
});
