// Numbers and dates as the reader writes them: the only place that asks the browser how.
import { currentLocale } from './current-locale.ts';

export function sayNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return value.toLocaleString(currentLocale.locale, options);
}

export function sayDate(date: Date, options: Intl.DateTimeFormatOptions): string {
  return date.toLocaleString(currentLocale.locale, options);
}
