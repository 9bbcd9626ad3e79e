// Pages, filters and searches of the coupon list over HTTP, with a thousand codes and with a million.
import { randomBytes } from 'node:crypto';
import type { Database } from '../server/src/db/database.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { findFreePort } from '../server/test/postgres.ts';
import { makeLearners, makeProduct } from './people.ts';
import { startPortal } from './portal.ts';

const PRODUCTS = 10;
const ROUNDS = 40;
const WARM_UP_ROUNDS = 5;

/** Milliseconds of each request, one list a number of codes. */
export type Lists = { codes: number; milliseconds: number[] }[];

/** Measures one engine; `open` gives a database of its own, with the environment that the portal finds it by. */
export async function measureLists(
  open: () => Promise<{ db: Database; env: Record<string, string> }>,
  sizes: number[],
): Promise<Lists> {
  const lists: Lists = [];
  for (const codes of sizes) {
    const secretKey = randomBytes(32);
    const port = await findFreePort();
    const { db, env } = await open();
    await migrate(db);
    const publicUrl = `http://localhost:${port}`;
    const learners = await makeLearners(db, { count: 500, secretKey, publicUrl });
    const [admin] = learners;
    await db.query("update app_user set user_role = 'admin' where id = $1", [admin?.user_id]);
    let product_id = '';
    for (let count = 0; count < PRODUCTS; count += 1) product_id = await makeProduct(db, codes / PRODUCTS);
    // The oldest half has been handed out.
    await db.query(
      `update coupon set assigned_at = now(), assigned_by = 'learner',
         holder = (select min(id) from app_user) + id % (select count(*) from app_user)
       where id <= (select (min(id) + max(id)) / 2 from coupon)`,
    );
    await db.execute('vacuum analyze');
    const { rows } = await db.query<{ id: string }>('select (min(id) + max(id)) / 2 as id from coupon');
    await db.close();

    const portal = await startPortal(port, { ...env, SECRET_KEY: secretKey.toString('base64') });
    const ask = requests(product_id, rows[0]?.id ?? '');
    const milliseconds: number[] = [];
    for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round += 1) {
      for (const query of ask) {
        const startedMs = performance.now();
        const answer = await fetch(`${portal.url}/api/coupons?limit=20&${query}`, {
          headers: { authorization: `Bearer ${admin?.token}` },
        });
        await answer.json();
        if (!answer.ok) throw new Error(`${answer.status} for ${query}`);
        if (round >= WARM_UP_ROUNDS) milliseconds.push(performance.now() - startedMs);
      }
    }
    await portal.stop();
    lists.push({ codes, milliseconds });
  }
  return lists;
}

/** What staff ask for: first pages and pages in the middle, each filter, and searches that all, some or none match. */
function requests(product_id: string, middle: string): string[] {
  const product = `product_id=${product_id}`;
  return [
    '',
    `cursor=${middle}`,
    'status=assigned',
    'status=available',
    `status=available&cursor=${middle}`,
    product,
    `${product}&status=available`,
    'q=code',
    `q=code&cursor=${middle}`,
    'q=code-7&status=assigned',
    `q=code-7&${product}`,
    'q=learner-7',
    'q=nothing',
  ];
}
