// Measures the audit log with ten million lines: its pages, its export as CSV, and redemptions during the export.
import type { Database } from '../server/src/db/database.ts';
import { countLines } from './count-lines.ts';
import { ENGINES, type Place } from './engines.ts';
import { median, percentile, showOne, table } from './format.ts';
import { redeemAll } from './run-load.ts';
import { prepareScene, type Scene } from './scene.ts';
import { makeProduct } from './seed.ts';

const SIZES: Record<string, { lines: number; people: number }> = {
  embedded: { lines: 1_000_000, people: 30_000 },
  PostgreSQL: { lines: 10_000_000, people: 300_000 },
};
const LEARNERS = 2_000;
const PRODUCTS = 10;
const ROUNDS = 40;
const WARM_UP_ROUNDS = 5;
/** Rounds of redemptions without and with an export. */
const LOADS = 4;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportLog(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, onEngine] of ENGINES) {
    const { lines, people } = SIZES[name] as (typeof SIZES)[string];
    rows.push(await onEngine((place) => measureLog(place, { lines, people })));
  }
  const sizes = Object.entries(SIZES).map(
    ([name, { lines, people }]) => `${name}: ${showOne(lines)} lines, ${showOne(people)} people`,
  );
  return `Response times of pages with 20 lines of the log, over HTTP (${sizes.join('; ')}). The pages
are timelines of people, products, codes, uploads and members of the team, the whole log, and a range of days. The figures are the
95th percentile of ${ROUNDS} rounds, without and with a filter by kind.

The export writes all lines as CSV: first without other calls, then while learners redeem, 64 at a time.

${table(
  [
    'engine',
    'pages, ms',
    'with a kind, ms',
    'CSV, lines a second',
    'redeemed beside it, of usual',
    'CSV lines a second then',
  ],
  rows.map((row, index) => [ENGINES[index]?.[0] ?? '', ...row]),
)}`;
}

async function measureLog(
  place: Place,
  { lines, people }: { lines: number; people: number },
): Promise<string[]> {
  const products: string[] = [];
  let subjects: string[] = [];
  const scene = await prepareScene(place, LEARNERS, async (db) => {
    for (let count = 0; count < PRODUCTS; count += 1) products.push(await makeProduct(db, LEARNERS));
    subjects = await fillLog(db, { lines, people });
  });
  const portal = await scene.start();
  try {
    const pages = await measurePages(portal.url, scene, subjects);
    const withKind = await measurePages(
      portal.url,
      scene,
      subjects.map((subject) => `${subject}&kind=team,note`),
    );
    const alone = await measureExport(portal.url, scene);
    const redeem = () => redeemAll(portal.url, scene.learners, products.pop() ?? '');
    await redeem();
    const usual: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < LOADS; round += 1) usual.push(await redeem());
    const stop = new AbortController();
    const exported = measureExport(portal.url, scene, stop.signal);
    for (let round = 0; round < LOADS; round += 1) beside.push(await redeem());
    stop.abort();
    return [
      showOne(percentile(pages, 0.95), 1),
      showOne(percentile(withKind, 0.95), 1),
      showOne(alone),
      showOne(median(beside) / median(usual), 2),
      showOne(await exported),
    ];
  } finally {
    await portal.stop();
  }
}

/**
 * Adds people and audit lines. A member of the team is the actor of every tenth line; learners and the portal are the
 * actors of all others. Returns the query strings of the measured pages, about subjects with few and with very many
 * lines.
 */
async function fillLog(
  db: Database,
  { lines, people }: { lines: number; people: number },
): Promise<string[]> {
  await db.execute(`
    insert into app_user (email, name) select 'person-' || n || '@example.org', 'Person' from generate_series(1, ${people}) n;
    insert into audit (at, actor, via, action, user_id, product_id, coupon_id, batch_id, detail)
      select timestamptz '2024-01-01' + n * interval '5 seconds',
        case when n % 10 = 0 then 'staff-' || (n % 70) || '@example.org' else 'learner' end,
        (case when n % 10 = 0 then 'page' else 'portal' end)::audit_way,
        case when n % 10 = 0 then 'grant.edit' when n % 3 = 0 then 'session.start' else 'coupon.redeem' end,
        ids.user_id + n % ${people}, p.product_id, ids.coupon_id + n % ${PRODUCTS * LEARNERS},
        case when n % 1000 = 0 then ids.batch_id end, '{"reason": "Left the course"}'
      from (select min(u.id) as user_id, (select min(id) from coupon) as coupon_id, (select min(id) from coupon_batch) as batch_id
            from app_user u where email like 'person-%') ids
      cross join generate_series(1, ${lines}) n
      join (select product_id, row_number() over () - 1 as index from product) p on p.index = n % ${PRODUCTS};`);
  await db.execute('vacuum analyze');
  const { rows } = await db.query<{ product_id: string; coupon_id: string; batch_id: string }>(
    `select (select min(product_id::text) from product) as product_id, (select max(id) from coupon) as coupon_id,
       (select min(id) from coupon_batch) as batch_id`,
  );
  const { product_id, coupon_id, batch_id } = rows[0] as (typeof rows)[0];
  return [
    '',
    `cursor=${Math.round(lines / 2)}`,
    'from=2024-01-03&to=2024-01-09',
    'email=person-7@example.org',
    `email=person-${people - 1}@example.org`,
    `product_id=${product_id}`,
    `product_id=${product_id}&cursor=${Math.round(lines / 3)}`,
    `coupon_id=${coupon_id}`,
    `batch_id=${batch_id}`,
    'actor=staff-20@example.org',
  ];
}

/** Returns the duration of each request in milliseconds. Leaves out the requests of the warm-up rounds. */
async function measurePages(url: string, scene: Scene, queries: readonly string[]): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round += 1) {
    for (const query of queries) {
      const startedMs = performance.now();
      const answer = await fetch(`${url}/api/admin/audit?limit=20&${query}`, { headers: asStaff(scene) });
      await answer.json();
      if (!answer.ok) throw new Error(`${answer.status} for ${query}`);
      if (round >= WARM_UP_ROUNDS) milliseconds.push(performance.now() - startedMs);
    }
  }
  return milliseconds;
}

/** Downloads the log as CSV, until `signal` aborts it. Returns the lines per second. */
async function measureExport(url: string, scene: Scene, signal?: AbortSignal): Promise<number> {
  const startedMs = performance.now();
  const lines = await countLines(`${url}/api/admin/audit.csv`, asStaff(scene), signal);
  return (lines / (performance.now() - startedMs)) * 1000;
}

const asStaff = ({ adminToken }: Scene) => ({ authorization: `Bearer ${adminToken}` });
