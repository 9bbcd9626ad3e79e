import type { Grant } from '@portal/contract';
import { expect, test } from 'vitest';
import { findRemoval, findValidDays } from './access-words.ts';

const grant = (starts_on: string, ends_on: string | null, state: Grant['state']) => ({
  starts_on,
  ends_on,
  state,
});

test.each([
  ['no grant', [], null],
  ['one without an end', [grant('2026-09-01', null, 'live')], ['2026-09-01', null]],
  [
    'two that touch: their union',
    [grant('2026-09-01', '2027-02-28', 'live'), grant('2026-06-01', '2026-08-31', 'over')],
    ['2026-06-01', '2027-02-28'],
  ],
  [
    'one within another',
    [grant('2026-01-01', null, 'live'), grant('2026-03-01', '2026-04-01', 'over')],
    ['2026-01-01', null],
  ],
  [
    'two with a gap: the live one',
    [grant('2026-12-01', null, 'future'), grant('2026-09-01', '2026-11-29', 'live')],
    ['2026-09-01', '2026-11-29'],
  ],
  [
    'two to come: the next',
    [grant('2027-06-01', null, 'future'), grant('2026-12-01', '2027-01-01', 'future')],
    ['2026-12-01', '2027-01-01'],
  ],
  [
    'two that are over: the last',
    [grant('2025-01-01', '2025-02-01', 'over'), grant('2026-01-01', '2026-02-01', 'over')],
    ['2026-01-01', '2026-02-01'],
  ],
  [
    'withdrawn grants and archived cohorts do not count',
    [grant('2026-01-01', null, 'withdrawn'), grant('2026-01-01', null, 'archived')],
    null,
  ],
])('R-LIFE-32, N-106: days of %s', (_name, grants, days) => {
  expect(findValidDays(grants as ReturnType<typeof grant>[])).toEqual(
    days && { from: days[0], until: days[1] },
  );
});

test('N-64: the day of the removal is that of the grant that was withdrawn last', () => {
  const grants = [null, '2026-11-06T09:00:00.000Z', '2026-10-01T09:00:00.000Z'];
  expect(findRemoval(grants.map((withdrawn_at) => ({ withdrawn_at })))).toBe(grants[1]);
  expect(findRemoval([{ withdrawn_at: null }])).toBeNull();
  expect(findRemoval([])).toBeNull();
});
