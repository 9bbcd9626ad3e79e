// Tests that an erasure reads few blocks of the log, however many lines the log has (R-PRIV-08).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/open-test-database.ts';
import { vacuumAll } from '../../../test/vacuum.ts';
import type { Database } from '../../db/database.ts';
import { openPostgres } from '../../db/open-postgres.ts';
import { erasePerson } from './erase.ts';

const PEOPLE = 20_000;
const LINES = 300_000;

let db: Database;
beforeAll(async () => {
  db = await openPostgres({ url: await createTestDatabase(), maxConnections: 1 });
  await db.query(
    `insert into app_user (email, name) select 'person-' || n || '@example.org', 'Person ' || n from generate_series(1, $1::int) n`,
    [PEOPLE],
  );
  await db.query(
    `insert into audit (actor, action, user_id, detail)
     select case when n % 10 = 0 then 'staff@example.org' else 'learner' end, 'session.start', first.id + n % $2,
       jsonb_build_object('auth_id', gen_random_uuid())
     from generate_series(1, $1::int) n, (select min(id) as id from app_user) first`,
    [LINES, PEOPLE],
  );
  await db.query(
    `insert into audit (actor, action, detail) select 'staff@example.org', 'product.pause', '{"note": "Person 7 asked"}'
     from generate_series(1, 100)`,
  );
  await vacuumAll(db);
}, 120_000);
afterAll(() => db.close());

async function countBlocks(): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ blocks: number }>(
    `select (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as blocks
     from pg_statio_user_tables where relname = 'audit'`,
  );
  return rows[0]?.blocks ?? 0;
}

test.each([7, 5000])(
  'R-PRIV-08: the erasure of person %s reads the lines about the person, and not the whole log',
  async (number) => {
    const email = `person-${number}@example.org`;
    const order = { named: email, email, reason: 'asked', actor: 'operator' as const };
    const started = await countBlocks();
    await erasePerson(db, order, { now: () => new Date(), adminEmails: [], forgetAddress: null });
    // The log has more than 5,000 blocks. Each line about the person is on a block of its own.
    expect((await countBlocks()) - started).toBeLessThanOrEqual(2_500);
    const { rows } = await db.query('select 1 from audit where detail::text like $1 limit 1', [
      `%Person ${number} %`,
    ]);
    expect(rows).toEqual([]);
  },
);
