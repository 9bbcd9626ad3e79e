// Formats the first and the last day of access as text.
import { sayDay } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import type { ValidDays } from './valid-days.ts';

/** Returns 'Valid {from} to {until}', or 'Valid from {from}' if `until` is null (N-106). */
export function sayValid({ from, until }: ValidDays): string {
  return until === null
    ? say('Valid from {from}', { from: sayDay(from) })
    : say('Valid {from} to {until}', { from: sayDay(from), until: sayDay(until) });
}
