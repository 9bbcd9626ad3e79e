// Texts about a cohort: its size, and the days of the access that it gives.
import type { Cohort } from '@portal/contract';
import { sayDay } from '../../../words/days.ts';
import { say, sayCount } from '../../../words/say.ts';

/** Maximum length of the name of a cohort. */
export const NAME_MAX = 120;

type GrantDays = Pick<Cohort['grants'][number], 'starts_on' | 'ends_on'>;

/**
 * Returns the days of all grants in a few words (R-COHORT-21): 'always' if the access has begun and has no end, and
 * 'mixed' if the grants have different days. A day outside of the year of `now` is shown with its year (N-107). `today`
 * is YYYY-MM-DD.
 */
export function sayAccess(grants: readonly GrantDays[], today: string, now = new Date()): string {
  const [first, ...others] = grants;
  if (first === undefined) return '-';
  const { starts_on, ends_on } = first;
  if (others.some((other) => other.starts_on !== starts_on || other.ends_on !== ends_on)) return say('mixed');
  const from = sayDay(starts_on, now);
  if (ends_on !== null) return say('{from} to {until}', { from, until: sayDay(ends_on, now) });
  return starts_on <= today ? say('always') : say('from {day}', { day: from });
}

export function sayMembers(count: number): string {
  return sayCount(count, { one: '{count} member', other: '{count} members' });
}

/** Returns the text in a closed select of several cohorts. */
export function sayChosenCohorts(count: number): string {
  return sayCount(count, { one: '{count} cohort selected', other: '{count} cohorts selected' });
}
