// Upgrades a PostgreSQL database with many users and codes from schema version 10. Meanwhile learners redeem with the SQL
// statements of the previous portal version. A test checks the result, and a benchmark measures the duration.

import type { Database } from '../src/db/database.ts';
import { listMigrations, migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { utcToday } from './factories.ts';
import { listProductsOf } from './lifecycle.ts';
import { startPostgres } from './postgres.ts';
import { OLD_CLAIM, OLD_MY_PRODUCTS } from './version-10.ts';

const PEOPLE = 300_000;
const CODES = 1_000_000;
const PRODUCTS = 12;
const CODES_EACH = Math.ceil(CODES / (PRODUCTS - 1));
const SAMPLE = 5_000;
const OLD_SCHEMA = 10;

// A third of the users have access to all products. The other users have access to a quarter of the products and to
// product 12. A third of the codes are assigned. Product 11 has a shared code. Product 12 has no free code.
const FILL = `
  insert into product (name, description, url, shared_coupon)
    select 'Product ' || n, 'A tool.', 'tool.example', n = 11 from generate_series(1, ${PRODUCTS}) n;
  insert into coupon_batch (product_id, source, created_by) select product_id, 'file', 'staff' from product;
  insert into app_user (email, all_products)
    select 'person-' || n || '@example.org', n % 3 = 0 from generate_series(1, ${PEOPLE}) n;
  insert into product_access (user_id, product_id, granted_by)
    select u.id, p.product_id, 'staff@example.org'
    from app_user u join product p on (u.id + right(p.name, 1)::int) % 4 = 0 or p.name = 'Product 12'
    where not u.all_products;
  insert into coupon (product_id, batch_id, shared, coupon_code, holder, assigned_at, assigned_by, is_current)
    select p.product_id, b.id, p.shared_coupon, case when p.shared_coupon then 'SHARED' else 'CODE-' || n end,
           holder, case when holder is not null then now() end, case when holder is not null then 'learner' end,
           holder is not null
    from product p join coupon_batch b using (product_id)
    cross join generate_series(1, ${CODES_EACH}) n
    cross join lateral (select case when (n % 3 = 0 or p.name = 'Product 12') and not p.shared_coupon then n end as holder) h
    where not p.shared_coupon or n = 1`;

const emailOf = (person: number) => `person-${person}@example.org`;

async function listOld(db: Database, person: number) {
  const { rows } = await db.query<Record<string, unknown>>(OLD_MY_PRODUCTS, [emailOf(person)]);
  return rows;
}

/** Returns a learner's list of products as this portal version sends it, without the fields that version 10 lacks. */
async function listNew(db: Database, person: number) {
  const identity = { auth_id: '', session_id: null, name: null, email: emailOf(person) };
  const rows = (await listProductsOf(db, identity, utcToday())) ?? [];
  return rows.map(({ state, from, use_by, closes_on, ...old }) => old);
}

/** Redeems products and lists them with the statements of version 10, until one of the statements fails. */
async function useOldVersion(db: Database, product_ids: readonly string[]) {
  const waits = { claim: 0, list: 0 };
  let calls = 0;
  let last = performance.now();
  const measure = (kind: keyof typeof waits) => {
    waits[kind] = Math.max(waits[kind], performance.now() - last);
    last = performance.now();
  };
  // People without a code of these products; a third of them has all products.
  for (let person = 3 * Math.ceil(CODES_EACH / 3 + 1); ; person += 3) {
    try {
      for (const product_id of product_ids) {
        last = performance.now();
        const params = [emailOf(person), product_id, 0, new Date(), 'learner', 'coupon.redeem'];
        const { rows } = await db.query<{ coupon_code: string | null }>(OLD_CLAIM, params);
        measure('claim');
        if (rows[0]?.coupon_code == null) throw new Error(`person ${person} got no code`);
        await listOld(db, person);
        measure('list');
        calls += 2;
      }
    } catch (error) {
      return { waits, calls, failed: error as Error };
    }
  }
}

/** A learner's list of products before and after the upgrade, with the fields that both versions have. */
export type Sampled = { before: Record<string, unknown>[]; after: Record<string, unknown>[] };

export type Upgrade = {
  /** Duration of each migration. */
  seconds: Record<string, number>;
  /** The longest time in milliseconds that a statement of a learner took during the upgrade. */
  waits: { claim: number; list: number };
  /** Number of statements of learners that succeeded, and the error of the first that failed. */
  calls: number;
  failed: Error;
  sampled: Sampled[];
};

/** Creates a database of schema version 10 with many users and codes, upgrades it, and returns the results. */
export async function upgradeFilledDatabase(): Promise<Upgrade> {
  const server = await startPostgres();
  try {
    const db = await openPostgres({ url: server.url });
    const old = await openPostgres({ url: server.url, maxConnections: 2 });
    const known = await listMigrations();
    await migrate(db, known.slice(0, OLD_SCHEMA));
    await db.transaction((tx) => tx.execute(`set local statement_timeout = 0; ${FILL}`));
    await db.execute('vacuum analyze');
    // These people hold codes already; the statements of learners below are for others.
    const people = Array.from({ length: SAMPLE }, (_, at) => 1 + at * Math.floor(CODES_EACH / SAMPLE - 1));
    const before = new Map<number, Record<string, unknown>[]>();
    for (const person of people) before.set(person, await listOld(db, person));
    const { rows } = await db.query<{ product_id: string }>(
      `select product_id from product where name in ('Product 1', 'Product 2')`,
    );
    const learners = useOldVersion(
      old,
      rows.map(({ product_id }) => product_id),
    );
    const seconds: Record<string, number> = {};
    for (const [at, { name }] of known.entries()) {
      if (at < OLD_SCHEMA) continue;
      const startedMs = performance.now();
      await migrate(db, known.slice(0, at + 1));
      seconds[name] = (performance.now() - startedMs) / 1000;
    }
    const served = await learners;
    const sampled: Sampled[] = [];
    for (const [person, rowsBefore] of before)
      sampled.push({ before: rowsBefore, after: await listNew(db, person) });
    await old.close();
    await db.close();
    return { seconds, ...served, sampled };
  } finally {
    await server.stop();
  }
}
