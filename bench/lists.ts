// Measures the response times of the coupon list, with a thousand codes and with a million. The requests page through
// the list, filter it and search in it.
import { addUpTally } from '../server/src/features/dashboard/tally.sql.ts';
import { ENGINES, type OnEngine } from './engines.ts';
import { percentile, showOne, table } from './format.ts';
import { prepareScene } from './scene.ts';
import { makeProduct } from './seed.ts';

const SIZES = [1_000, 1_000_000];
const LEARNERS = 500;
const PRODUCTS = 10;
const ROUNDS = 40;
const WARM_UP_ROUNDS = 5;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportLists(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, onEngine] of ENGINES) {
    const found: number[] = [];
    for (const codes of SIZES) found.push(percentile(await measureList(onEngine, codes), 0.95));
    const [few = Number.NaN, many = Number.NaN] = found;
    rows.push([name, showOne(few, 1), showOne(many, 1), showOne(many / few, 2)]);
  }
  return `Response times of pages, filters and searches of the coupon list over HTTP: the 95th percentile of ${ROUNDS} rounds, in milliseconds. There
are ten products, and half of the codes are assigned. The two sizes are measured one after the other, not in turns.

${table(['engine', 'with 1,000 codes', 'with 1,000,000 codes', 'ratio'], rows)}`;
}

/** Returns the duration of each request in milliseconds. Leaves out the requests of the warm-up rounds. */
async function measureList(onEngine: OnEngine, codes: number): Promise<number[]> {
  return onEngine(async (place) => {
    let product_id = '';
    let middle = '';
    const scene = await prepareScene(place, LEARNERS, async (db) => {
      for (let count = 0; count < PRODUCTS; count += 1) product_id = await makeProduct(db, codes / PRODUCTS);
      // Assigns the older half of the codes.
      await db.query(
        `update coupon set assigned_at = now(), assigned_by = 'learner',
           holder = (select min(id) from app_user) + id % (select count(*) from app_user)
         where id <= (select (min(id) + max(id)) / 2 from coupon)`,
      );
      // Adds the changes that are logged in the table tally_change to the counters in the table tally, as a running
      // portal does.
      await addUpTally(db, new Date());
      await db.execute('vacuum analyze');
      const { rows } = await db.query<{ id: string }>('select (min(id) + max(id)) / 2 as id from coupon');
      middle = rows[0]?.id ?? '';
    });
    const portal = await scene.start();
    const milliseconds: number[] = [];
    for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round += 1) {
      for (const query of requests(product_id, middle)) {
        const startedMs = performance.now();
        const answer = await fetch(`${portal.url}/api/coupons?limit=20&${query}`, {
          headers: { authorization: `Bearer ${scene.adminToken}` },
        });
        await answer.json();
        if (!answer.ok) throw new Error(`${answer.status} for ${query}`);
        if (round >= WARM_UP_ROUNDS) milliseconds.push(performance.now() - startedMs);
      }
    }
    await portal.stop();
    return milliseconds;
  });
}

/**
 * Returns the query strings of the measured requests: first and middle pages, each filter, and searches that match all,
 * some or no codes. Staff make similar requests.
 */
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
