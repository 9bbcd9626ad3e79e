// A program that redeems codes. Tests start it several times, so that several processes redeem at the same moment:
// `node redeem-in-process.ts <database url>`. In each round, the program reads two lines from stdin. The first line is
// a JSON array of {caller, product_id}. The program then opens all its connections and prints 'ready'. After the second
// line, the program redeems everything at once and prints the outcomes as JSON, in the order of the array. The process
// ends when stdin ends.

import { createInterface } from 'node:readline';
import { AppError } from '../src/app-error.ts';
import { createDayOf } from '../src/day.ts';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import type { Identity } from '../src/stores/callers.ts';
import { createClaimHints } from '../src/usecases/claim-hints.ts';
import { redeemCoupon } from '../src/usecases/redeem-coupon.ts';

const CONNECTIONS = 16;

export type Press = { caller: Identity; product_id: string };
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

function redeemAll(db: Database, presses: Press[]): Promise<Outcome[]> {
  const tools = {
    hints: createClaimHints(),
    dayOf: createDayOf('UTC'),
    now: () => new Date(),
    supportEmail: 'help@example.org',
  };
  return Promise.all(
    presses.map(async ({ caller, product_id }): Promise<Outcome> => {
      try {
        const { coupon } = await redeemCoupon(db, { caller, productId: product_id }, tools);
        return { code: coupon.couponCode };
      } catch (error) {
        if (error instanceof AppError) return { refused: error.code };
        throw error;
      }
    }),
  );
}

const db = await openPostgres({
  url: process.argv[2] ?? '',
  maxConnections: CONNECTIONS,
  connectTimeoutMs: 30_000,
});
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const presses = JSON.parse(line.value) as Press[];
  await openAll(db);
  console.log('ready');
  await lines.next();
  console.log(JSON.stringify(await redeemAll(db, presses)));
}
await db.close();
