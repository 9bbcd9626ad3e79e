// Registers the call that returns the dashboard's data.
import { getStats as getStatsCall } from '@portal/contract';
import type { Database } from '../db/database.ts';
import { getStats } from '../stores/stats.ts';
import type { Handle } from './handle.ts';

export function handleStats(handle: Handle, { db, now }: { db: Database; now: () => Date }): void {
  handle(getStatsCall, () => getStats(db, now()));
}
