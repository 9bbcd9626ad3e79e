// Rate limit counts in the table auth_rate, shared by all processes. The statements are those of rate-limiter-flexible.
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Db } from '../../db/database.ts';

type Statement = { text: string; values: unknown[] };

/**
 * Returns a limiter that allows `points` requests in `duration` seconds. `name` separates its counts from those of
 * other limiters.
 */
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
    // Over the limit, a process refuses requests from memory, without a database statement.
    inMemoryBlockOnConsumed: points,
    // Only 5 seconds, not until the count restarts: successful requests are subtracted from the count again.
    inMemoryBlockDuration: 5,
  });
}

/** Deletes expired counts. */
export async function deleteRateCounts(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_rate where expire <= $1', [now.getTime()]);
}
