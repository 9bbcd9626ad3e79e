import type { MyProductState } from '@portal/contract';
import { expect, test } from 'vitest';
import { benefitState, sortByState } from './benefits.tsx';

const NOW = new Date('2026-11-20T12:00:00');
const inState = (state: MyProductState, use_by: string | null = null) => ({ state, use_by });

test.each([
  ['2026-11-19', 'expired'],
  ['2026-11-20', 'issued'],
  ['2026-11-21', 'issued'],
  [null, 'issued'],
])('R-LIFE-35: on 20 November an issued code with the last day %s is %s', (use_by, state) => {
  expect(benefitState(inState('issued', use_by), NOW)).toBe(state);
});

test('R-LIFE-35: a withdrawn code stays withdrawn after its last day', () => {
  expect(benefitState(inState('revoked', '2026-11-19'), NOW)).toBe('revoked');
});

test('R-LIFE-35: the order is ready, issued, not yet, paused, sold out, expired, withdrawn', () => {
  const ordered = [
    inState('ready'),
    inState('issued', '2026-11-20'),
    inState('issued'),
    inState('not_yet'),
    inState('paused'),
    inState('sold_out'),
    inState('issued', '2026-11-19'),
    inState('revoked'),
  ];
  const mixed = [7, 6, 5, 4, 3, 1, 2, 0].map((index) => ordered[index] as (typeof ordered)[number]);
  expect(sortByState(mixed, NOW)).toEqual(ordered);
});
