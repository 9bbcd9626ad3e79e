// Formats numbers and dates in the current locale. No other file formats numbers or dates.
import { currentLocale } from './current-locale.ts';

export function sayNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return value.toLocaleString(currentLocale.locale, options);
}

export function sayDate(
  date: Date,
  options: Intl.DateTimeFormatOptions,
  locale = currentLocale.locale,
): string {
  return date.toLocaleString(locale, options);
}

/** Returns a day of the API (YYYY-MM-DD) as a date such as '27 Nov 2026'. */
export function sayDay(day: string): string {
  return sayDate(new Date(day), { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
}
