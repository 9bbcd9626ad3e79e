// Fills in the days that staff left out when they entered a grant.
import { AppError } from '../../app-error.ts';
import type { Days } from './grants.sql.ts';

/**
 * Returns the first and the last day of a grant. If the first day is missing, the grant begins on the day `today`. If
 * the last day is missing, the grant has no end (R-LIFE-03).
 * @throws AppError invalid_request if the last day is before the first.
 */
export function resolveDays(
  given: { starts_on?: string | null | undefined; ends_on?: string | null | undefined },
  today: string,
): Days {
  const days = { starts_on: given.starts_on ?? today, ends_on: given.ends_on ?? null };
  if (days.ends_on !== null && days.ends_on < days.starts_on)
    throw new AppError('invalid_request', 'ends_on must not be before starts_on');
  return days;
}
