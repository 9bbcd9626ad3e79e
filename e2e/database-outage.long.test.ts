// The database fails in a storm of redemptions: another takes over behind its address, its replica dies, or it stands still.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Product } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import { endPostgres, runPostgres, signalPostgres, startPostgres } from '../server/test/postgres.ts';
import { type PostgresPair, startPostgresPair } from '../server/test/postgres-pair.ts';
import { openAdmin, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { type Portal, startPortal } from './harness/portal.ts';

const LEARNERS = Array.from({ length: 24 }, (_, index) => `learner-${index}@learner.example`);
const PRESS_AGAIN_MS = 100;
const PATIENCE_MS = 30_000;

type Answer = { status: number; code: string | undefined; retryAfter: string | null };
type Stage = { portal: Portal; product: Product; tokens: Map<string, string> };

for (const killAt of [1, 7, 20]) {
  test(`no code that a learner was told is lost or given twice when the primary dies at answer ${killAt} and the replica takes over behind its address`, async () => {
    const pair = await openPair();
    await surviveOutage(await setStage(pair.url, { WORKERS: '2' }), killAt, pair.killPrimary, pair.promote);
  });
}

test('no code that a learner was told is lost or given twice when the database is killed and started again', async () => {
  const server = await startPostgres({ durable: true });
  onTestFinished(server.stop);
  await surviveOutage(
    await setStage(server.url, { WORKERS: '2' }),
    7,
    () => endPostgres(server.process, 'SIGKILL'),
    async () => {
      const { process: restarted } = await runPostgres(server.folder, { durable: true, port: server.port });
      onTestFinished(() => endPostgres(restarted, 'SIGINT'));
    },
  );
});

test('a commit that waits for a dead replica ends in 503, and the same press gives the same code when it is back', async () => {
  const pair = await openPair();
  // The portal gives a statement up after 3 seconds, not after 35.
  const stage = await setStage(`${pair.url}?statement_timeout=2000&query_timeout=3000`);
  const [email] = LEARNERS as [string];
  await pair.stopReplica();
  for (let press = 0; press < 2; press += 1)
    expect(await pressOnce(stage, email)).toMatchObject({ status: 503, retryAfter: '2' });
  expect((await fetch(`${stage.portal.url}/readyz`)).status).toBe(200);
  await pair.startReplica();
  const code = await pressUntilTold(stage, email);
  expect(await pressUntilTold(stage, email)).toBe(code);

  await pair.killPrimary();
  await pair.promote();
  const told = [{ email, code }];
  for (const other of LEARNERS) told.push({ email: other, code: await pressUntilTold(stage, other) });
  await expectOneCodeEach(stage, told);
});

test('while the database stands still presses are refused, pages and the health check are not, and all goes on by itself', async () => {
  const server = await startPostgres({ durable: true });
  onTestFinished(server.stop);
  const stage = await setStage(server.url);
  const [first, second] = LEARNERS as [string, string];
  const code = await pressUntilTold(stage, first);
  await signalPostgres(server, 'SIGSTOP');
  try {
    // What is answered here is answered while nothing of the database moves.
    const presses = LEARNERS.map((email) => pressOnce(stage, email));
    for (const path of ['/', '/healthz', '/login']) {
      expect((await fetch(stage.portal.url + path)).status).toBe(200);
    }
    for (const answer of await Promise.all(presses))
      expect(answer).toMatchObject({ status: 503, retryAfter: '2' });
    expect((await fetch(`${stage.portal.url}/readyz`)).status).toBe(503);
  } finally {
    await signalPostgres(server, 'SIGCONT');
  }
  expect(await pressUntilTold(stage, first)).toBe(code);
  expect(await pressUntilTold(stage, second)).not.toBe(code);
  expect((await fetch(`${stage.portal.url}/readyz`)).status).toBe(200);
});

/** All learners press three times. At answer `killAt` the database dies, and it is repaired after the first refusal. */
async function surviveOutage(
  stage: Stage,
  killAt: number,
  kill: () => Promise<void>,
  repair: () => Promise<void>,
): Promise<void> {
  const told: { email: string; code: string }[] = [];
  const refusals: Answer[] = [];
  const death = Promise.withResolvers<void>();
  const storm = Promise.all(
    LEARNERS.map(async (email) => {
      for (let press = 0; press < 3; press += 1) {
        told.push({ email, code: await pressUntilTold(stage, email, refusals) });
        if (told.length === killAt) death.resolve(kill());
      }
    }),
  );
  await Promise.race([death.promise, storm]);
  await expect.poll(() => refusals.length).toBeGreaterThan(0);
  await repair();
  await storm;

  for (const { status, retryAfter } of refusals)
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '2' });
  await expectOneCodeEach(stage, told);
}

async function openPair(): Promise<PostgresPair> {
  const pair = await startPostgresPair();
  onTestFinished(pair.stop);
  return pair;
}

/** A portal whose learners are signed in and have a product with a code for each. */
async function setStage(url: string, env: Record<string, string> = {}): Promise<Stage> {
  const mailbox = await openMailbox();
  const key = randomBytes(32).toString('base64');
  const portal = await startPortal({ mailbox, env: { DATABASE_URL: url, SECRET_KEY: key, ...env } });
  onTestFinished(async () => {
    // A stop in order waits for proxies; it finds nothing left to end, and removes the data folder.
    await portal.kill();
    await portal.stop();
    await mailbox.close();
  });
  const tokens = new Map<string, string>();
  await Promise.all(
    LEARNERS.map(async (email) => tokens.set(email, (await signIn(portal, email)).access_token)),
  );
  const admin = await openAdmin(portal);
  const product = await admin.addProduct();
  await admin.importCodes(
    product,
    LEARNERS.map((_, index) => `CODE-${index}`),
  );
  for (const email of LEARNERS) await admin.addLearner(email, product);
  return { portal, product, tokens };
}

async function pressOnce({ portal, product, tokens }: Stage, email: string): Promise<Answer> {
  const response = await fetch(`${portal.url}/api/redeem-secure`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.get(email)}` },
    body: JSON.stringify({ productId: product.product_id }),
  });
  const { coupon } = (await response.json()) as { coupon?: { couponCode: string } };
  return {
    status: response.status,
    code: coupon?.couponCode,
    retryAfter: response.headers.get('retry-after'),
  };
}

/** Presses until there is a code, as a learner does who is asked to try again. */
async function pressUntilTold(stage: Stage, email: string, refusals: Answer[] = []): Promise<string> {
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await pressOnce(stage, email);
    if (answer.code !== undefined) return answer.code;
    refusals.push(answer);
    if (answer.status !== 503 || performance.now() > untilMs)
      throw new Error(`${answer.status}\n${stage.portal.output()}`);
    await delay(PRESS_AGAIN_MS);
  }
}

/** Everybody holds one code, nobody the same, and whoever was told one was told that one each time. */
async function expectOneCodeEach(stage: Stage, told: { email: string; code: string }[]): Promise<void> {
  const assigned = await (await openAdmin(stage.portal)).listAssignedCodes(stage.product);
  expect(assigned).toHaveLength(LEARNERS.length);
  expect(new Set(assigned.map((line) => line.split(' ')[0])).size).toBe(LEARNERS.length);
  expect(new Set(assigned.map((line) => line.split(' ')[1])).size).toBe(LEARNERS.length);
  for (const { email, code } of told) expect(assigned).toContain(`${code} ${email}`);
}
