// Measures whether redemption becomes slower when most of a million codes are assigned. Compares the redemptions per
// second of the first 50,000 codes and of the last 50,000, with and without a long-running read transaction. Such a
// transaction prevents PostgreSQL from removing outdated index entries.
import type { Database } from '../server/src/db/database.ts';
import { onPostgres } from './engines.ts';
import { show, showOne, showRatios, table } from './format.ts';
import { redeemAll } from './run-load.ts';
import { prepareScene } from './scene.ts';
import { makeProduct } from './seed.ts';

const ROUNDS = 5;
const CODES = 1_000_000;
const MEASURED = 50_000;
const ASSIGNED_AT_ONCE = 10_000;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportFlatness(): Promise<string> {
  const rows = [
    ['no', ...(await measure(false))],
    ['yes', ...(await measure(true))],
  ];
  return `There are two products with ${showOne(CODES)} codes each, on PostgreSQL. All codes of the first product are free. Of the second product,
all codes except the last ${showOne(MEASURED)} are assigned, by one statement for each ${showOne(ASSIGNED_AT_ONCE)} codes. Learners, 64 at a time, redeem the
first product and the second product by turns, ${showOne(MEASURED / ROUNDS)} codes each in a round.

A *long read* is a transaction that has read the codes before the first of them was assigned, as a backup does. While this transaction
is open, PostgreSQL cannot remove the dead entries of assigned codes. *Bytes* is the size of the table with its indexes, for each code,
when half of the codes are assigned.

${table(['long read open', 'first 50,000, a second', 'last 50,000, a second', 'last to first', 'bytes a code'], rows)}`;
}

async function measure(longRead: boolean): Promise<string[]> {
  return onPostgres(async (place) => {
    const products: string[] = [];
    const scene = await prepareScene(place, MEASURED, async (db) => {
      for (let count = 0; count < 2; count += 1) products.push(await makeProduct(db, CODES));
    });
    const [beginning = '', end = ''] = products;
    const reader = longRead ? await openLongRead(await place.open()) : null;
    const db = await place.open();
    await assignAllButLast(db, end);
    const { rows } = await db.query<{ bytes: string }>("select pg_total_relation_size('coupon') as bytes");
    await db.close();
    const portal = await scene.start();
    const first: number[] = [];
    const last: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const size = MEASURED / ROUNDS;
      const learners = scene.learners.slice(round * size, (round + 1) * size);
      first.push(await redeemAll(portal.url, learners, beginning));
      last.push(await redeemAll(portal.url, learners, end));
    }
    await portal.stop();
    await reader?.close();
    const bytesACode = Number(rows[0]?.bytes) / (2 * CODES);
    return [show(first), show(last), showRatios(last, first), showOne(bytesACode)];
  });
}

// Assigns all codes of the product to one user, except the last 50,000. The column `is_current` stays false, because
// the database allows a user only one current code per product.
async function assignAllButLast(db: Database, product_id: string): Promise<void> {
  const { rows } = await db.query<{ from: string }>(
    'select min(pos) as from from coupon where product_id = $1',
    [product_id],
  );
  const from = Number(rows[0]?.from);
  for (let done = 0; done < CODES - MEASURED; done += ASSIGNED_AT_ONCE) {
    await db.query(
      `update coupon set holder = (select min(id) from app_user), assigned_at = now(), assigned_by = 'learner'
       where product_id = $1 and holder is null and pos >= $2 and pos < $3`,
      [product_id, from + done, from + done + ASSIGNED_AT_ONCE],
    );
  }
}

async function openLongRead(db: Database): Promise<{ close(): Promise<void> }> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const reading = db.transaction(async (tx) => {
    await tx.execute('set transaction isolation level repeatable read');
    await tx.query('select count(*) from coupon');
    begun();
    await ended;
  });
  await hasBegun;
  return {
    close: async () => {
      end();
      await reading;
      await db.close();
    },
  };
}
