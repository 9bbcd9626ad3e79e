// Reads days as people and spreadsheets write them in CSV files (R-MAP-23).
import { dayField } from './fields.ts';

/** Whether the day or the month comes first in days such as 03/04/2026. */
export type DayOrder = 'dmy' | 'mdy';

const TIME = String.raw`(?:[T\s,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:[ap]m)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?$`;
const ISO = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})${TIME}`, 'i');
const DOTS = new RegExp(String.raw`^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})${TIME}`, 'i');
const SLASHES = new RegExp(String.raw`^(\d{1,2})/(\d{1,2})/(\d{4})${TIME}`, 'i');
const WORDS = new RegExp(String.raw`^(\d{1,2})\.?\s+(\p{L}+)\.?\s+(\d{4})${TIME}`, 'iu');
/** A spreadsheet's number of a day, from 2000-01-01 to 2999-12-31. */
const SERIAL = /^\d{5,6}$/;
const SERIAL_ZERO_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
const SERIALS = { first: 36_526, last: 401_768 };

const MONTHS = [
  ['jan', 'january', 'januar', 'jänner'],
  ['feb', 'february', 'februar'],
  ['mar', 'march', 'mär', 'märz', 'mrz'],
  ['apr', 'april'],
  ['may', 'mai'],
  ['jun', 'june', 'juni'],
  ['jul', 'july', 'juli'],
  ['aug', 'august'],
  ['sep', 'sept', 'september'],
  ['oct', 'october', 'okt', 'oktober'],
  ['nov', 'november'],
  ['dec', 'december', 'dez', 'dezember'],
];

const day = dayField('day');

/**
 * Returns the day as YYYY-MM-DD, without its time of day. Returns null for a text that is no day, and for a day with
 * slashes if `order` is null. Days with dots have the day first. Years have four digits.
 */
export function readDay(text: string, order: DayOrder | null): string | null {
  const [, isoYear = '', isoMonth = '', isoDay = ''] = ISO.exec(text) ?? [];
  if (isoYear !== '') return toDay(isoYear, isoMonth, isoDay);
  const [, d = '', m = '', year = ''] = DOTS.exec(text) ?? [];
  if (year !== '') return toDay(year, m, d);
  const [, one = '', other = '', slashYear = ''] = SLASHES.exec(text) ?? [];
  if (slashYear !== '' && order !== null)
    return order === 'dmy' ? toDay(slashYear, other, one) : toDay(slashYear, one, other);
  const [, date = '', word = '', wordYear = ''] = WORDS.exec(text) ?? [];
  const month = MONTHS.findIndex((names) => names.includes(word.normalize('NFC').toLowerCase()));
  if (month !== -1) return toDay(wordYear, String(month + 1), date);
  const serial = SERIAL.test(text) ? Number(text) : 0;
  if (serial < SERIALS.first || serial > SERIALS.last) return null;
  return new Date(SERIAL_ZERO_MS + serial * DAY_MS).toISOString().slice(0, 10);
}

/** True if the text is a day, in any order of day and month. */
export function looksLikeDay(text: string): boolean {
  return readDay(text, 'dmy') !== null || readDay(text, 'mdy') !== null;
}

/**
 * Decides by the cells of a whole column whether the day or the month comes first. `add` takes the cells one by one.
 * `decide` returns the order; null if no day has slashes; 'doubtful' if no day or days against each other decide. `first`
 * is the first day that may be read in both orders.
 */
export function createDayOrder() {
  let [days, months, both] = [0, 0, 0];
  let first: string | null = null;
  return {
    add(cell: string): void {
      const [, one, other] = SLASHES.exec(cell) ?? [];
      if (one === undefined) return;
      if (Number(one) > 12) days += 1;
      else if (Number(other) > 12) months += 1;
      else if (Number(one) !== Number(other)) first ??= cell;
      else both += 1;
    },
    decide(): DayOrder | 'doubtful' | null {
      if (days > 0 && months > 0) return 'doubtful';
      if (days > 0) return 'dmy';
      if (months > 0) return 'mdy';
      if (first !== null) return 'doubtful';
      return both > 0 ? 'dmy' : null;
    },
    first: () => first,
  };
}

function toDay(year: string, month: string, date: string): string | null {
  const { success, data } = day.safeParse(`${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`);
  return success ? data : null;
}
