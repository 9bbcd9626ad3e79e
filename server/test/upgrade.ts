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
const PRODUCTS = 13;
const CODES_EACH = Math.ceil(CODES / (PRODUCTS - 2));
const SAMPLE = 5_000;
const OLD_SCHEMA = 10;

// A third of the users have access to all products. The other users have access to a quarter of the products and to
// product 12. A third of the codes are assigned. Product 12 has no free code. Products 11 and 13 have a shared code. The
// code of product 11 has many holders. The code of product 13 has reached its usage limit.
const FILL = `
  insert into product (name, description, url, shared_coupon)
    select 'Product ' || n, 'A tool.', 'tool.example', n in (11, 13) from generate_series(1, ${PRODUCTS}) n;
  insert into coupon_batch (product_id, source, created_by) select product_id, 'file', 'staff' from product;
  insert into app_user (email, all_products)
    select 'person-' || n || '@example.org', n % 3 = 0 from generate_series(1, ${PEOPLE}) n;
  insert into product_access (user_id, product_id, granted_by)
    select u.id, p.product_id, 'staff@example.org'
    from app_user u join product p on (u.id + right(p.name, 1)::int) % 4 = 0 or p.name = 'Product 12'
    where not u.all_products;
  insert into coupon (product_id, batch_id, shared, coupon_code, holder, assigned_at, assigned_by, is_current)
    select p.product_id, b.id, p.shared_coupon, 'CODE-' || n,
           holder, case when holder is not null then now() end, case when holder is not null then 'learner' end,
           holder is not null
    from product p join coupon_batch b using (product_id)
    cross join generate_series(1, ${CODES_EACH}) n
    cross join lateral (select case when n % 3 = 0 or p.name = 'Product 12' then n end as holder) h
    where not p.shared_coupon;
  with shared as (
    select p.product_id, p.name, b.id as batch_id,
           case p.name when 'Product 11' then 5 else 3000 end as each, case p.name when 'Product 13' then ${PEOPLE} / 3000 end as usage_limit
    from product p join coupon_batch b using (product_id) where p.shared_coupon
  )
  insert into coupon (product_id, batch_id, shared, coupon_code, usage_limit, holder, assigned_at, assigned_by, is_current)
    select product_id, batch_id, true, 'SHARED', usage_limit, null, null, null, false from shared where usage_limit is null
    union all
    select s.product_id, s.batch_id, true, 'SHARED', usage_limit, u.id, now(), 'learner', true
    from shared s join app_user u on u.id % s.each = 0
    where u.all_products or exists (
      select from product_access a where a.user_id = u.id and a.product_id = s.product_id)`;

const emailOf = (person: number) => `person-${person}@example.org`;

async function listOld(db: Database, person: number) {
  const { rows } = await db.query<Record<string, unknown>>(OLD_MY_PRODUCTS, [emailOf(person)]);
  return rows;
}

/** Returns a learner's list of products as this portal version sends it. */
async function listNew(db: Database, person: number) {
  const identity = { auth_id: '', session_id: null, name: null, email: emailOf(person) };
  return (await listProductsOf(db, identity, utcToday())) ?? [];
}

/**
 * Returns SAMPLE different people of all PEOPLE. The sample has people with each remainder of a division by 3, 4 or 5,
 * by which FILL gives access and codes.
 */
function samplePeople(): number[] {
  const step = PEOPLE / SAMPLE;
  return Array.from({ length: SAMPLE }, (_, at) => 1 + at * step + (at % step));
}

/**
 * Redeems products and lists them with the statements of version 10, until one of the statements fails. Leaves out the
 * people of the sample. Calls `count` after each statement that has succeeded.
 */
async function useOldVersion(
  db: Database,
  product_ids: readonly string[],
  { sample, count }: { sample: ReadonlySet<number>; count: () => void },
) {
  const waits = { claim: 0, list: 0 };
  let last = performance.now();
  const measure = (kind: keyof typeof waits) => {
    waits[kind] = Math.max(waits[kind], performance.now() - last);
    last = performance.now();
  };
  // People without a code of these products; a third of them has all products.
  for (let person = 3 * Math.ceil(CODES_EACH / 3 + 1); ; person += 3) {
    if (sample.has(person)) continue;
    try {
      for (const product_id of product_ids) {
        last = performance.now();
        const params = [emailOf(person), product_id, 0, new Date(), 'learner', 'coupon.redeem'];
        const { rows } = await db.query<{ coupon_code: string | null }>(OLD_CLAIM, params);
        measure('claim');
        count();
        if (rows[0]?.coupon_code == null) throw new Error(`person ${person} got no code`);
        await listOld(db, person);
        measure('list');
        count();
      }
    } catch (error) {
      return { waits, failed: error as Error };
    }
  }
}

/** A learner's list of products before and after the upgrade, each as the version at that time sends it. */
export type Sampled = {
  person: number;
  before: Record<string, unknown>[];
  after: Record<string, unknown>[];
};

export type Upgrade = {
  /** Duration of each migration. */
  seconds: Record<string, number>;
  /** The longest time in milliseconds that a statement of a learner took during the upgrade. */
  waits: { claim: number; list: number };
  /** Number of statements of learners that succeeded during each migration, and the error of the first that failed. */
  calls: Record<string, number>;
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
    const before = new Map<number, Record<string, unknown>[]>();
    for (const person of samplePeople()) before.set(person, await listOld(db, person));
    const { rows } = await db.query<{ product_id: string }>(
      `select product_id from product where name in ('Product 1', 'Product 2')`,
    );
    const calls: Record<string, number> = {};
    const seconds: Record<string, number> = {};
    let running = '';
    const learners = useOldVersion(
      old,
      rows.map(({ product_id }) => product_id),
      {
        sample: new Set(before.keys()),
        count: () => {
          calls[running] = (calls[running] ?? 0) + 1;
        },
      },
    );
    for (const [at, { name }] of known.entries()) {
      if (at < OLD_SCHEMA) continue;
      const startedMs = performance.now();
      running = name;
      await migrate(db, known.slice(0, at + 1));
      seconds[name] = (performance.now() - startedMs) / 1000;
    }
    const served = await learners;
    const sampled: Sampled[] = [];
    for (const [person, rowsBefore] of before)
      sampled.push({ person, before: rowsBefore, after: await listNew(db, person) });
    await old.close();
    await db.close();
    return { seconds, calls, ...served, sampled };
  } finally {
    await server.stop();
  }
}
