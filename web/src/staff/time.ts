// Days and times of the staff pages. All are in the time zone of the portal (TIME_ZONE), whatever zone the browser has
// (R-MAP-40). The API sends times in UTC, and days as YYYY-MM-DD.
import { timeZone } from '../settings.ts';
import { findZoneName, formatDate } from '../words/format.ts';

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;

/** Returns the day of a time in the portal's time zone, as YYYY-MM-DD. */
export function dayOf(at: Date | string): string {
  // The Swedish locale (sv) formats days as YYYY-MM-DD.
  return formatDate(new Date(at), { ...DAY, month: '2-digit', day: '2-digit', timeZone }, 'sv');
}

/**
 * Returns today's date (YYYY-MM-DD) by the clock of the browser. Around midnight, the server may have another date: it
 * may then refuse a call, or count other codes.
 */
export function today(): string {
  return dayOf(new Date());
}

/** True if the time `at` is on today's date. */
export function isToday(at: Date | string): boolean {
  return dayOf(at) === today();
}

/** `day` is a day or an ISO time. If it is in the year of `now`, the text contains no year. Example: '20 Nov 2025'. */
export function formatDay(day: string, now?: Date): string {
  const date = day.length > 10 ? dayOf(day) : day;
  const year = now && dayOf(now).slice(0, 4) === date.slice(0, 4) ? undefined : 'numeric';
  // A day has no zone. Formatted in UTC, it stays the same day.
  return formatDate(new Date(date), { ...DAY, year, timeZone: 'UTC' });
}

/** Formats the day and the time of an ISO 8601 time, for example as '18 Nov 2025, 09:41'. */
export function formatDayAndTime(at: string): string {
  return `${formatDay(at)}, ${formatTime(at)}`;
}

/** Returns the time of day, for example '13:58'. */
export function formatTime(at: Date | string): string {
  return formatDate(new Date(at), { timeStyle: 'short', timeZone });
}

/** Returns day and time with seconds and time zone, for example '20 Nov 2025, 13:58:07 UTC'. */
export function formatExactTime(at: string): string {
  return `${formatDay(at)}, ${formatDate(new Date(at), { timeStyle: 'long', timeZone })}`;
}

/** Returns the portal's time zone if the browser has another one; null if both are the same. */
export function findForeignZone(): string | null {
  return findZoneName(timeZone) === findZoneName() ? null : timeZone;
}
