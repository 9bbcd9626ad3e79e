// Completes the days of a grant that staff entered.
import { AppError } from '../app-error.ts';
import type { Days } from '../stores/grants.ts';

/**
 * Returns the days of a grant: from `today` on if the first day is missing, without end if the last one is (R-LIFE-03).
 * @throws AppError invalid_request if the last day is before `today` and the first day is missing.
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
