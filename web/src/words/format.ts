// Stores the page's language, its catalogue, and the locale for dates and numbers.
import type { Catalogue, Language } from '@portal/contract';

/** `locale` is the BCP 47 tag for dates and numbers. `catalogue` is null for English, whose texts are the keys. */
type CurrentLocale = { language: Language; locale: string; catalogue: Catalogue | null };

export let currentLocale: CurrentLocale = { language: 'en', locale: 'en', catalogue: null };

/** Must be called before the first render, because rendered texts do not change afterwards. */
export function setCurrentLocale(next: CurrentLocale): void {
  currentLocale = next;
}

/** Returns the first preferred variant of `language`, for example `de-AT`, or `language` if there is none. */
export function localeOf(language: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.split('-', 1)[0] === language) ?? language;
}

// Formats numbers and dates in the current locale. No other file formats numbers or dates.
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return value.toLocaleString(currentLocale.locale, options);
}

export function formatDate(
  date: Date,
  options: Intl.DateTimeFormatOptions,
  locale = currentLocale.locale,
): string {
  return date.toLocaleString(locale, options);
}

/** Returns the IANA name of a time zone without an alias, such as UTC for Etc/UTC; by default, of the browser's zone. */
export function findZoneName(timeZone?: string): string {
  return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
}

const DAY_MS = 86_400_000;

/**
 * For pages of learners; pages of staff use staff/time.ts. `day` may be an ISO time, which is shown in the browser's time
 * zone. If it is in the year of `now`, the text contains no year.
 */
export function formatDay(day: string, now?: Date, locale?: string): string {
  // Without a time, the browser would read the day as UTC and might show the day before.
  const date = new Date(day.length > 10 ? day : `${day}T00:00`);
  const year = date.getFullYear() === now?.getFullYear() ? undefined : 'numeric';
  return formatDate(date, { day: 'numeric', month: 'short', year }, locale);
}

/** Returns the number of days until `day` in the browser's time zone: 0 for today, negative for a past day. */
export function daysLeft(day: string, now: Date): number {
  return Math.floor((Date.parse(`${day}T23:59:59`) - now.getTime()) / DAY_MS);
}

/** Returns true if at most 7 days are left until the end of `useBy`, the last day of a code. */
export function isSoon(useBy: string, now: Date): boolean {
  return daysLeft(useBy, now) <= 7;
}
