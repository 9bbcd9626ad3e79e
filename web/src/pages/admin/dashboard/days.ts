// Prepares the redemptions per day for the chart: labels, scale and description.
import type { Stats } from '@portal/contract';
import { sayDate, sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';

export type Day = Stats['redemptions'][number];

/** Returns the days that get a label under the chart: up to five, evenly spaced, including the first and the last. */
export function datedDays(days: readonly Day[]): string[] {
  const dated = days.filter((_day, i) =>
    [0, 1, 2, 3, 4].some((part) => i === Math.round((part * (days.length - 1)) / 4)),
  );
  return dated.map(({ day }) => day);
}

/** Returns the five labels of the scale: round numbers at equal distances, from 0 to at least the highest count. */
export function scaleOf(days: readonly Day[]): number[] {
  const least = Math.max(1, ...days.map(({ count }) => count)) / 4;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const digit = [1, 1.5, 2, 3, 4, 5, 6, 8].find((each) => each * power >= least) ?? 10;
  const step = Math.ceil(digit * power);
  return [0, 1, 2, 3, 4].map((tick) => tick * step);
}

/**
 * Formats a day such as '2026-11-21' for the current locale. Uses UTC, because a local time zone could give the day
 * before.
 */
export function sayDay(day: string, withYear = false): string {
  return sayDate(new Date(`${day}T00:00:00Z`), {
    day: 'numeric',
    month: 'short',
    ...(withYear ? { year: 'numeric' } : {}),
    timeZone: 'UTC',
  });
}

export function totalOf(days: readonly Day[]): number {
  return days.reduce((sum, { count }) => sum + count, 0);
}

/** Returns a description of the chart in one or two sentences, for screen readers. */
export function describe(days: readonly Day[]): string {
  const [first] = days;
  const last = days.at(-1);
  if (!first || !last) return say('Redemptions per day');
  const total = totalOf(days);
  const best = days.reduce((most, day) => (day.count > most.count ? day : most), first);
  const span = { first: sayDay(first.day), last: sayDay(last.day), total: sayNumber(total) };
  if (total === 0) return say('Redemptions per day, {first} to {last}. {total} in total.', span);
  return say('Redemptions per day, {first} to {last}. {total} in total, highest {count} on {day}.', {
    ...span,
    count: sayNumber(best.count),
    day: sayDay(best.day),
  });
}
