// Counts of requests in the table auth_rate, for all processes; the statements are rate-limiter-flexible's.
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Db } from '../../db/database.ts';

type Statement = { text: string; values: unknown[] };

/** A limiter of `points` in `duration` seconds; `name` tells its counts from those of others. */
export function openRateCounts(
  db: Db,
  name: string,
  { points, duration }: { points: number; duration: number },
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    points,
    duration,
    keyPrefix: name,
    tableName: 'auth_rate',
    tableCreated: true,
    clearExpiredByTimeout: false,
    storeType: 'pool',
    storeClient: { query: ({ text, values }: Statement) => db.query(text, values) },
    // Whoever is over the limit costs no statement any more.
    inMemoryBlockOnConsumed: points,
    // So long, and not to the end of the time: requests that turn out right are taken out of the count again.
    inMemoryBlockDuration: 5,
  });
}

/** Forgets the counts whose time is over. */
export async function deleteRateCounts(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_rate where expire <= $1', [now.getTime()]);
}
