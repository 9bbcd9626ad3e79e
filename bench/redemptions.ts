// Redemptions a second over HTTP against the same statement in a bare loop, on one hot product, 64 callers.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Database } from '../server/src/db/database.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { createClaimHints } from '../server/src/usecases/claim-hints.ts';
import { findOrClaimCoupon } from '../server/src/usecases/find-or-claim-coupon.ts';
import { findFreePort } from '../server/test/postgres.ts';
import { type Learner, makeLearners, makeProduct } from './people.ts';
import { startPortal } from './portal.ts';

const PRESS = fileURLToPath(new URL('./press.ts', import.meta.url));
const ROUNDS = 5;
const LEARNERS = 4_000;
const CALLERS = 64;
const REST_MS = 5_000;

/** Claims a second, seconds and MB, one entry a round. */
export type Redemptions = {
  bare: number[];
  overHttp: number[];
  startSeconds: number[];
  restMemory: number[];
  loadedMemory: number[];
};

/** Measures one engine. The two sides take turns on one database, each on a fresh product. */
export async function measureRedemptions(
  open: () => Promise<Database>,
  engineEnv: Record<string, string>,
): Promise<Redemptions> {
  const secretKey = randomBytes(32);
  const port = await findFreePort();
  const env = { ...engineEnv, SECRET_KEY: secretKey.toString('base64') };
  const publicUrl = `http://localhost:${port}`;

  const db = await open();
  await migrate(db);
  const learners = await makeLearners(db, { count: LEARNERS, secretKey, publicUrl });
  const products: string[] = [];
  for (let round = 0; round < ROUNDS * 2; round += 1) products.push(await makeProduct(db, LEARNERS));
  await db.close();

  const figures: Redemptions = { bare: [], overHttp: [], startSeconds: [], restMemory: [], loadedMemory: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const direct = await open();
    figures.bare.push(await claimBare(direct, learners, products.pop() ?? ''));
    await direct.close();

    const portal = await startPortal(port, env);
    figures.startSeconds.push(portal.startSeconds);
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    figures.restMemory.push(await portal.memory());
    figures.overHttp.push(await claimOverHttp(portal.url, learners, products.pop() ?? ''));
    figures.loadedMemory.push(await portal.memory());
    await portal.stop();
  }
  return figures;
}

async function claimBare(db: Database, learners: Learner[], product_id: string): Promise<number> {
  const hints = createClaimHints();
  const waiting = learners.values();
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const { identity: claimant } of waiting) {
        const who = { product_id, claimant, assigned_by: 'learner', action: 'coupon.redeem', at: new Date() };
        const found = await findOrClaimCoupon(db, hints, who);
        if (!found?.coupon_code) throw new Error('no code');
      }
    }),
  );
  return learners.length / ((performance.now() - startedMs) / 1000);
}

/** Every learner redeems the product once; answers codes a second. */
export async function claimOverHttp(url: string, learners: Learner[], productId: string): Promise<number> {
  const child = spawn(process.execPath, [PRESS], { stdio: ['pipe', 'pipe', 'inherit'] });
  const body = JSON.stringify({ productId });
  const tokens = learners.map(({ token }) => token);
  child.stdin.end(JSON.stringify({ url, method: 'POST', path: '/api/redeem-secure', body, tokens }));
  const { seconds, codes } = (await json(child.stdout)) as { seconds: number; codes: number };
  if (codes !== learners.length) throw new Error(`${codes} different codes for ${learners.length} learners`);
  return codes / seconds;
}
