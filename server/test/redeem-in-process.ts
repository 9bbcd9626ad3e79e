// A program that redeems codes. Tests start it several times, so that several processes redeem at the same moment:
// `node redeem-in-process.ts <database url>`. In each round, the program reads two lines from stdin. The first line is
// a `Round` as JSON. The program then opens all its connections and prints 'ready'. After the second line, the program
// redeems. As soon as a redemption ends, it prints its index in `presses` and its outcome, as a JSON array. The process
// ends when stdin ends.

import { createInterface } from 'node:readline';
import { AppError } from '../src/app-error.ts';
import { createDayOf } from '../src/day.ts';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { redeemCoupon } from '../src/features/redeem/redeem.ts';
import type { Caller, Identity } from '../src/features/team/callers.sql.ts';

const CONNECTIONS = 16;

export type Press = { caller: Identity & Pick<Caller, 'user_id'>; product_id: string };
/**
 * Redemptions of one round. `lanes` is how many of them run at the same time. `at` is the time of the process's clock, in
 * ISO 8601; null for the real time.
 */
export type Round = { presses: Press[]; lanes: number; at: string | null };
/** Result of a redemption: either `code`, the assigned code, or `refused`, the error code of the refusal. */
export type Outcome = { code?: string; refused?: string };

/**
 * Opens all connections of the pool. To do so, starts as many transactions as the pool has connections. No transaction
 * ends before all have begun, so each transaction needs its own connection.
 */
async function openAll(db: Database): Promise<void> {
  const all = Promise.withResolvers<void>();
  let open = 0;
  const hold = () =>
    db.transaction(() => {
      open += 1;
      if (open === CONNECTIONS) all.resolve();
      return all.promise;
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, hold));
}

async function redeemAll(db: Database, { presses, lanes, at }: Round): Promise<void> {
  const tools = {
    dayOf: createDayOf('UTC'),
    now: () => (at === null ? new Date() : new Date(at)),
    supportEmail: 'help@example.org',
  };
  const redeem = async ({ caller, product_id }: Press): Promise<Outcome> => {
    try {
      const { coupon } = await redeemCoupon(db, { caller, productId: product_id }, tools);
      return { code: coupon.couponCode };
    } catch (error) {
      if (error instanceof AppError) return { refused: error.code };
      throw error;
    }
  };
  // All lanes share one iterator, so each redemption is done once.
  const queue = presses.entries();
  const runLane = async () => {
    for (const [index, press] of queue) console.log(JSON.stringify([index, await redeem(press)]));
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
}

const db = await openPostgres({
  url: process.argv[2] ?? '',
  maxConnections: CONNECTIONS,
  connectTimeoutMs: 30_000,
});
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const round = JSON.parse(line.value) as Round;
  await openAll(db);
  console.log('ready');
  await lines.next();
  await redeemAll(db, round);
}
await db.close();
