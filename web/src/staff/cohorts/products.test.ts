import { expect, test } from 'vitest';
import { endsEarlier, formatAccess } from '../nouns/cohort.tsx';
import { type CohortGrant, countShort, findUsualDays } from './products.tsx';

function grant(starts_on: string, ends_on: string | null, state: CohortGrant['state'] = 'live'): CohortGrant {
  const of = {
    id: '1',
    product_id: '1',
    product_name: 'Tarnquill',
    via: 'cohort',
    holding: 0,
    free: 0,
  } as const;
  const by = { granted_by: 'noor@example.org', granted_at: '2026-09-01T00:00:00Z', withdrawn_at: null };
  return { ...of, ...by, starts_on, ends_on, state };
}

test('the usual days are those of most grants; grants that are over do not count', () => {
  const over = grant('2025-01-01', '2025-06-30', 'over');
  const usual = grant('2026-09-01', '2027-02-28');
  const grants = [over, grant('2026-12-01', null, 'future'), usual, over, usual, over];
  expect(findUsualDays(grants)).toEqual({ starts_on: '2026-09-01', ends_on: '2027-02-28' });
  expect(findUsualDays([grant('2026-09-01', null)])).toEqual({ starts_on: '2026-09-01', ends_on: '' });
  expect(findUsualDays([over])).toEqual({ starts_on: '', ends_on: '' });
});

test('R-DAY-37, N-216: missing are the codes for members without one, beyond the free codes', () => {
  const live = { ...grant('2026-09-01', null), holding: 2, free: 3 };
  expect([5, 6, 9, 0].map((members) => countShort(live, members))).toEqual([0, 1, 4, 0]);
  expect(countShort({ ...live, free: null }, 9)).toBe(0);
  expect(countShort({ ...live, state: 'future' }, 9)).toBe(4);
  expect(countShort({ ...live, state: 'over' }, 9)).toBe(0);
});

test('N-98: an earlier last day, or a last day where there was none, ends the access earlier', () => {
  const until = grant('2026-09-01', '2027-02-28');
  expect(endsEarlier(until, { ends_on: '2027-02-27' })).toBe(true);
  expect(endsEarlier(until, { ends_on: '2027-02-28' })).toBe(false);
  expect(endsEarlier(until, { ends_on: '' })).toBe(false);
  expect(endsEarlier(grant('2026-09-01', null), { ends_on: '2099-12-31' })).toBe(true);
});

const TODAY = '2026-11-20';
const NOW = new Date(`${TODAY}T12:00`);

test.each([
  ['R-COHORT-21: both days', [grant('2026-09-01', '2026-12-28')], 'Sep 1 to Dec 28'],
  [
    'N-107: a day outside of the current year has its year',
    [grant('2026-09-01', '2027-02-28')],
    'Sep 1 to Feb 28, 2027',
  ],
  ['R-COHORT-21: no end, and not yet begun', [grant('2026-12-01', null)], 'from Dec 1'],
  ['R-COHORT-21: no end, and begun', [grant('2026-11-20', null)], 'always'],
  ['R-COHORT-21: several', [grant('2026-09-01', null), grant('2026-09-02', null)], 'mixed'],
  ['several with the same days', [grant('2026-09-01', null), grant('2026-09-01', null)], 'always'],
  ['no products', [], '-'],
])('%s', (_name, grants, words) => {
  expect(formatAccess(grants, TODAY, NOW)).toBe(words);
});
