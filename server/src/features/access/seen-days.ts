// Compares the days of a grant with the days that staff saw when they changed them.
import { AppError } from '../../app-error.ts';
import type { Days } from './grants.sql.ts';

/** Grants as the page showed them. */
export type SeenGrants = readonly ({ id: string } & Days)[];

export function isSameDays(a: Days, b: Days): boolean {
  return a.starts_on === b.starts_on && a.ends_on === b.ends_on;
}

/** The refusal of days that were entered by somebody who has not seen the present ones. */
export function datesChanged(): AppError {
  return new AppError('edit_conflict', 'Somebody else changed these dates meanwhile.');
}
