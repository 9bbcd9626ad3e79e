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
