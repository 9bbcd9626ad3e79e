// Formats the first and the last day of access, and the day of a time, as text.
import { sayDay } from '../../../words/days.ts';
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import type { ValidDays } from './valid-days.ts';

/** Returns 'Valid {from} to {until}', or 'Valid from {from}' if `until` is null (N-106). */
export function sayValid({ from, until }: ValidDays): string {
  return until === null
    ? say('Valid from {from}', { from: sayDay(from) })
    : say('Valid {from} to {until}', { from: sayDay(from), until: sayDay(until) });
}

/** Returns the day of a time, for example '27 Nov 2026'. */
export function sayDayAt(at: string): string {
  return sayDate(new Date(at), { day: 'numeric', month: 'short', year: 'numeric' });
}
