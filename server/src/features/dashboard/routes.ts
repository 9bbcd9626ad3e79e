// Registers the route that returns the dashboard's data.
import { getStats as getStatsCall } from '@portal/contract';
import type { Clock } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { getStats } from './tally.sql.ts';

export function handleStats(handle: Handle, { db, now, dayOf }: { db: Database } & Clock): void {
  handle(getStatsCall, () => {
    const at = now();
    return getStats(db, { now: at, today: dayOf(at) });
  });
}
