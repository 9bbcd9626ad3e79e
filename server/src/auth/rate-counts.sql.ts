// Counts requests for the rate limits in the table auth_rate, which all processes share. The package
// rate-limiter-flexible writes most of the SQL.
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Db } from '../db/database.ts';

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
    storeClient: { query: (statement: Statement) => query(db, statement, duration) },
    // If a key is over its limit, this process refuses further requests of the key for five seconds without SQL. The
    // time is short because a successful request is subtracted later, so the key may soon be below its limit.
    inMemoryBlockOnConsumed: points,
    inMemoryBlockDuration: 5,
  });
}

type Count = { points: number; expire: string | null };

// Runs a statement of the package. `expire` is the end of the counting period. A clock that was ahead may have written
// an end that is too late. Such an end is set to the latest possible time, because the key could otherwise be refused
// for days.
async function query(db: Db, { text, values }: Statement, duration: number) {
  const result = await db.query<Count>(text, values);
  const [row] = result.rows;
  const latest = Date.now() + duration * 1000;
  if (row === undefined || Number(row.expire) <= latest) return result;
  await db.query('update auth_rate set expire = $2 where key = $1 and expire > $2', [values[0], latest]);
  return { ...result, rows: [{ ...row, expire: String(latest) }] };
}

/** Deletes counts whose period has ended. */
export async function deleteRateCounts(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_rate where expire <= $1', [now.getTime()]);
}
