// Tests redemptions on a Patroni cluster behind one address while the cluster's leader fails.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Product } from '@portal/contract';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { addLearner, addProduct } from '../server/test/factories.ts';
import { signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { type Cluster, findObstacle, type NodeName, startCluster } from './harness/patroni.ts';
import { type Portal, startPortal } from './harness/portal.ts';

/** How often the leader fails. If the variable FAILOVERS is set, the test also prints the measured times. */
const FAILOVERS = Number(process.env.FAILOVERS ?? 4);
const LEARNERS = Array.from({ length: 24 }, (_, index) => `learner-${index}@learner.example`);
/**
 * A learner redeems fewer than 60 products during one failover, so 60 for each failover are enough. A learner who has
 * redeemed all products would start again with the first product.
 */
const PRODUCTS = 60 * FAILOVERS;
const PAUSE_MS = 500;
const RETRY_MS = 100;
/** Time limit of each wait for codes. A failover alone takes up to 14 seconds. */
const TIMEOUT_MS = 60_000;
const CODES_BEFORE = 40;
const LOG_SHOWN = 20_000;

type Failure = {
  name: string;
  cause: (cluster: Cluster, leader: NodeName) => Promise<void>;
  repair?: (cluster: Cluster, leader: NodeName) => Promise<void>;
};

/** A code that a learner received. `startedMs` is the time of the first request; refused requests are repeated. */
type Redemption = { email: string; productId: string; code: string; startedMs: number; endedMs: number };

const FAILURES: Failure[] = [
  { name: 'postgres of the leader killed', cause: (cluster, leader) => cluster.killPostgres(leader) },
  {
    name: 'machine of the leader killed',
    cause: (cluster, leader) => cluster.cutPower(leader),
    repair: (cluster, leader) => cluster.start(leader),
  },
  { name: 'switchover', cause: (cluster, leader) => cluster.switchOver(leader) },
  {
    name: 'leader cut off from the other nodes',
    cause: (cluster, leader) => cluster.isolate(leader),
    repair: (cluster, leader) => cluster.reconnect(leader),
  },
];

const obstacle = await findObstacle();

test('behind one address no code that a learner received is lost or assigned twice when the leader of a cluster fails', {
  timeout: 60_000 * (FAILOVERS + 6),
}, async (context) => {
  if (obstacle !== null) {
    // The default reporter does not print why a test was skipped, so this line prints it.
    console.log(`Skipped: ${obstacle}`);
    return context.skip(obstacle);
  }
  const cluster = await startCluster();
  onTestFinished(cluster.stop);
  onTestFailed(() => console.log(cluster.log().slice(-LOG_SHOWN)));
  const { url, portal, productIds, tokens } = await preparePortal(cluster);
  const load = startLoad(portal, productIds, tokens);
  onTestFinished(load.stop);
  for (let count = 0; count < FAILOVERS; count += 1) {
    const { name, cause, repair } = FAILURES[count % FAILURES.length] as Failure;
    // Waits for a different number of codes each time, so that the failures happen at different moments of the load.
    await load.waitForCodes(CODES_BEFORE + count);
    const leader = await cluster.findLeader();
    if (leader === null) throw new Error('no leader');
    const since = load.responses.length;
    await cause(cluster, leader);
    await load.waitForEachLearner();
    await repair?.(cluster, leader);
    await cluster.waitUntilHealthy();
    // Passes a copy, because the load continues while the database is read.
    const lost = await findLost(url, [...load.responses]);
    const doubled = findDoubled(load.responses);
    if (process.env.FAILOVERS) console.log(describe(name, load.responses.slice(since), lost, doubled));
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
  }
});

/** Starts a portal with its database in the cluster, and adds learners with access to many products. */
async function preparePortal(cluster: Cluster) {
  const owner = await openPostgres({ url: cluster.url, maxConnections: 1 });
  await owner.execute("create role portal login password 'PORTAL_PASSWORD'");
  await owner.execute('create database portal owner portal');
  await owner.close();
  const url = cluster.url
    .replace('postgres:SUPERUSER_PASSWORD', 'portal:PORTAL_PASSWORD')
    .replace(/postgres$/, 'portal');
  const mailbox = await openMailbox();
  const portal = await startPortal({
    mailbox,
    env: { DATABASE_URL: url, SECRET_KEY: randomBytes(32).toString('base64'), WORKERS: '2' },
  });
  onTestFinished(async () => {
    // Kills the portal first. A graceful stop would wait several seconds, so that proxies send new requests to other
    // processes. After the kill, `stop` only removes the data folder.
    await portal.kill();
    await portal.stop();
    await mailbox.close();
  });
  const db = await openPostgres({ url });
  const products: Product[] = [];
  for (let count = 0; count < PRODUCTS; count += 1)
    products.push(await addProduct(db, { codes: LEARNERS.length }));
  for (const email of LEARNERS) await addLearner(db, products, email);
  await db.close();
  const tokens = new Map<string, string>();
  for (const email of LEARNERS) tokens.set(email, (await signIn(portal, email)).access_token);
  return { url, portal, productIds: products.map(({ product_id }) => product_id), tokens };
}

/** Starts the load: until `stop`, each learner redeems one product after the other. */
function startLoad(portal: Portal, productIds: string[], tokens: Map<string, string>) {
  const responses: Redemption[] = [];
  let stopped = false;
  const load = Promise.all(
    [...tokens].map(async ([email, token]) => {
      for (let count = 0; !stopped; count += 1) {
        const productId = productIds[count % productIds.length] ?? '';
        const startedMs = performance.now();
        const code = await redeemUntilSuccess(portal, productId, token, () => stopped);
        if (code !== null) responses.push({ email, productId, code, startedMs, endedMs: performance.now() });
        await delay(PAUSE_MS);
      }
    }),
  );
  // If the load fails, `waitFor` and `stop` throw its error. Until then, this handler prevents an unhandled rejection.
  load.catch(() => undefined);
  const waitFor = (isEnough: () => boolean) =>
    Promise.race([load, expect.poll(isEnough, { timeout: TIMEOUT_MS }).toBe(true)]);
  return {
    responses,
    waitForCodes: async (count: number) => {
      const enough = responses.length + count;
      await waitFor(() => responses.length >= enough);
    },
    /** Waits until each learner has received a code for a request that started after this call. */
    waitForEachLearner: async () => {
      const sinceMs = performance.now();
      const later = () => responses.filter(({ startedMs }) => startedMs > sinceMs);
      await waitFor(() => new Set(later().map(({ email }) => email)).size === tokens.size);
    },
    stop: async () => {
      stopped = true;
      await load;
    },
  };
}

/**
 * Redeems and repeats the request after each 503. Returns the code, or null if `isOver` returns true. Throws for other
 * errors.
 */
async function redeemUntilSuccess(
  portal: Portal,
  productId: string,
  token: string,
  isOver: () => boolean,
): Promise<string | null> {
  while (!isOver()) {
    const response = await fetch(`${portal.url}/api/redeem-secure`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ productId }),
    });
    const text = await response.text();
    if (response.ok) return (JSON.parse(text) as { coupon: { couponCode: string } }).coupon.couponCode;
    if (response.status !== 503) throw new Error(`${response.status} ${text}\n${portal.output()}`);
    await delay(RETRY_MS);
  }
  return null;
}

/** Returns the responses with a code that the database has not assigned to the response's learner. */
async function findLost(url: string, responses: Redemption[]): Promise<Redemption[]> {
  const db = await openPostgres({ url, maxConnections: 1 });
  const { rows } = await db.query<{ held: string }>(
    `select concat_ws(' ', u.email, c.product_id, c.coupon_code) as held
     from coupon c join app_user u on u.id = c.holder`,
  );
  await db.close();
  const held = new Set(rows.map((row) => row.held));
  return responses.filter(({ email, productId, code }) => !held.has(`${email} ${productId} ${code}`));
}

/** Returns codes that two learners received, and learners who received two codes of one product. */
function findDoubled(responses: Redemption[]): string[] {
  const holders = Map.groupBy(responses, ({ productId, code }) => `${productId} ${code}`);
  const codes = Map.groupBy(responses, ({ productId, email }) => `${productId} ${email}`);
  return [
    ...[...holders].filter(([, all]) => new Set(all.map(({ email }) => email)).size > 1),
    ...[...codes].filter(([, all]) => new Set(all.map(({ code }) => code)).size > 1),
  ].map(([key]) => key);
}

/**
 * Returns a row of the table in docs/decisions/0017: the failure, the longest wait for a code in seconds, and the
 * numbers of codes, lost codes and duplicates.
 */
function describe(name: string, responses: Redemption[], lost: Redemption[], doubled: string[]): string {
  const longestMs = Math.max(...responses.map(({ startedMs, endedMs }) => endedMs - startedMs));
  return `| ${name} | ${(longestMs / 1000).toFixed(1)} | ${responses.length} | ${lost.length} | ${doubled.length} |`;
}
