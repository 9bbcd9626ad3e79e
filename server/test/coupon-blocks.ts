// Counts the blocks that calls read from the table coupon and its indexes, by the statistics of PostgreSQL.
import type { Db } from '../src/db/database.ts';

/**
 * Numbers of 8-kB blocks. `free` counts blocks of the index coupon_free; `others` counts blocks of the table coupon and
 * its other indexes.
 */
export type Blocks = { free: number; others: number };

/** Returns how many blocks `call` reads. `db` must have a single connection, and `call` must use it. */
export async function blocksOf(db: Db, call: () => Promise<unknown>): Promise<Blocks> {
  const before = await countBlocks(db);
  await call();
  const after = await countBlocks(db);
  return { free: after.free - before.free, others: after.others - before.others };
}

async function countBlocks(db: Db): Promise<Blocks> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<Blocks>(
    `select free, (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int - free as others
     from pg_statio_user_tables t cross join lateral (
       select (i.idx_blks_hit + i.idx_blks_read)::int as free
       from pg_statio_user_indexes i where i.indexrelname = 'coupon_free'
     ) index where t.relname = 'coupon'`,
  );
  return rows[0] as Blocks;
}
