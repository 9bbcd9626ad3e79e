// A process of its own that redeems what it is told, all at once: `node redeem-in-process.ts <database url>`.
// From stdin it reads a line with a JSON array of {user_id, email, product_id}; when all its connections stand it writes
// 'ready', waits for one more line, and writes the outcomes, in order.
import { createInterface } from 'node:readline';
import { AppError } from '../src/app-error.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import type { Identity } from '../src/stores/callers.ts';
import { createClaimHints } from '../src/usecases/claim-hints.ts';
import { redeemCoupon } from '../src/usecases/redeem-coupon.ts';

const CONNECTIONS = 16;

export type Press = { caller: Identity; product_id: string };
/** The code that was answered, or the code of the refusal. */
export type Outcome = { code?: string; refused?: string };

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const presses = JSON.parse((await lines.next()).value ?? '[]') as Press[];
const db = await openPostgres({ url: process.argv[2] ?? '', maxConnections: CONNECTIONS });
const tools = { hints: createClaimHints(), now: () => new Date(), supportEmail: 'help@example.org' };

await Promise.all(Array.from({ length: CONNECTIONS }, () => db.query('select pg_sleep(0.2)')));
console.log('ready');
await lines.next();

const outcomes = await Promise.all(
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
await db.close();
console.log(JSON.stringify(outcomes));
process.stdin.destroy();
