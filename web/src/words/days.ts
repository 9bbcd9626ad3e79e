// Formats days (YYYY-MM-DD) as text. Counts the days that are left until a day, in the browser's time zone.
import { sayDate } from './format.ts';

const DAY_MS = 86_400_000;

/**
 * Formats a day or an ISO time in the locale `locale`, by default the current locale. If the day is in the year of
 * `now`, the text contains no year.
 */
export function sayDay(day: string, now?: Date, locale?: string): string {
  // Without a time, the browser would read the day as UTC and might show the day before.
  const date = new Date(day.length > 10 ? day : `${day}T00:00`);
  const year = date.getFullYear() === now?.getFullYear() ? undefined : 'numeric';
  return sayDate(date, { day: 'numeric', month: 'short', year }, locale);
}

/** Returns how many days are left until the end of `day`: 0 for today, negative for a day that has passed. */
export function daysLeft(day: string, now: Date): number {
  return Math.floor((Date.parse(`${day}T23:59:59`) - now.getTime()) / DAY_MS);
}

/** Returns true if at most 7 days are left until the end of `useBy`, the last day of a code. */
export function isSoon(useBy: string, now: Date): boolean {
  return daysLeft(useBy, now) <= 7;
}
