import { expect, test } from 'vitest';
import { setCurrentLocale } from '../../words/current-locale.ts';
import { benefitState, byState, dayOf } from './benefit-state.ts';

const ready = { assigned_at: null, sold_out: false };
const issued = { assigned_at: '2026-11-14T09:00:00Z', sold_out: true };
const soldout = { assigned_at: null, sold_out: true };

test('a learner who holds a code has it, also when codes have run out', () => {
  expect([ready, issued, soldout].map(benefitState)).toEqual(['ready', 'issued', 'soldout']);
});

test('what can be redeemed comes first, what is sold out last', () => {
  expect([soldout, issued, ready].toSorted(byState)).toEqual([ready, issued, soldout]);
});

test('the year is named only when it is another one', () => {
  setCurrentLocale({ language: 'en', locale: 'en-GB', catalogue: null });
  const now = new Date('2026-12-01T12:00:00Z');
  expect(dayOf('2026-11-14T12:00:00Z', now)).toBe('14 Nov');
  expect(dayOf('2025-11-14T12:00:00Z', now)).toBe('14 Nov 2025');
});
