// Registers the call that returns the dashboard's data.
import { getStats as getStatsCall } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { getStats } from './tally.sql.ts';

type Tools = {
  db: Database;
  now: () => Date;
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
};

export function handleStats(handle: Handle, { db, now, dayOf }: Tools): void {
  handle(getStatsCall, () => {
    const at = now();
    return getStats(db, { now: at, today: dayOf(at) });
  });
}
