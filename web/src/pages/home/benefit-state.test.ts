import { expect, test } from 'vitest';
import { setCurrentLocale } from '../../words/current-locale.ts';
import { benefitState, byState, dayOf } from './benefit-state.ts';

const ready = { assigned_at: null, sold_out: false };
const issued = { assigned_at: '2026-11-14T09:00:00Z', sold_out: true };
const soldout = { assigned_at: null, sold_out: true };

test('a product with an issued code is issued, also when it is sold out for others', () => {
  expect([ready, issued, soldout].map(benefitState)).toEqual(['ready', 'issued', 'soldout']);
});

test('redeemable products come first, sold-out products last', () => {
  expect([soldout, issued, ready].toSorted(byState)).toEqual([ready, issued, soldout]);
});

test('the year is shown only if it is not the current year', () => {
  setCurrentLocale({ language: 'en', locale: 'en-GB', catalogue: null });
  const now = new Date('2026-12-01T12:00:00Z');
  expect(dayOf('2026-11-14T12:00:00Z', now)).toBe('14 Nov');
  expect(dayOf('2025-11-14T12:00:00Z', now)).toBe('14 Nov 2025');
});
