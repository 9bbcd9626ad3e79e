// Numbers and dates as the reader writes them: the only place that asks the browser how.
import { reader } from './reader.ts';

export function sayNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return value.toLocaleString(reader.locale, options);
}

export function sayDate(date: Date, options: Intl.DateTimeFormatOptions): string {
  return date.toLocaleString(reader.locale, options);
}
