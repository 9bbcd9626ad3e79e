// Says how far back a list of the log goes.
import type { AuditLine } from '@portal/contract';
import { say } from '../../../words/say.ts';
import { sayDayAndTime, sayDayOf } from './line-words.ts';

/**
 * `oldest` is the last line of the list. `lookedUntil` is set if the server stopped before the page was full
 * (R-TRAIL-04).
 */
export function sayExtent(oldest: AuditLine | undefined, lookedUntil: string | null): string {
  if (lookedUntil !== null) return say('Looked back to {day}.', { day: sayDayOf(lookedUntil) });
  return oldest ? say('Back to {time}', { time: sayDayAndTime(oldest.at) }) : '';
}
