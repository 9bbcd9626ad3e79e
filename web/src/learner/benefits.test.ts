import type { MyProductState } from '@portal/contract';
import { expect, test } from 'vitest';
import { benefitState } from './benefit-card.tsx';
import { sortByGroup } from './benefits.tsx';

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

test('R-CAT-11: the order is that of the server, with expired codes last', () => {
  const expired = inState('issued', '2026-11-19');
  const others = [inState('paused'), inState('issued'), inState('ready'), inState('revoked')];
  expect(sortByGroup([expired, ...others], NOW)).toEqual([...others, expired]);
});
