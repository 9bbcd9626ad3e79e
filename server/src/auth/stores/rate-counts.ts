// Rate limit counts in the table auth_rate, which all processes share. The package rate-limiter-flexible writes the
// SQL.
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Db } from '../../db/database.ts';

type Statement = { text: string; values: unknown[] };

/**
 * Returns a limiter that allows `points` requests in `duration` seconds. `name` is the prefix of the limiter's keys in
 * the table auth_rate.
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
    // If an e-mail address or IP address is over its limit, this process remembers that in memory, and refuses further
    // requests without SQL.
    inMemoryBlockOnConsumed: points,
    // For 5 seconds only, the process remembers that an address is over its limit. A successful request is subtracted
    // from the count, so an address may be below its limit again soon.
    inMemoryBlockDuration: 5,
  });
}

/** Deletes counts whose period has ended. */
export async function deleteRateCounts(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_rate where expire <= $1', [now.getTime()]);
}
