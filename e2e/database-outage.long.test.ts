// Tests many concurrent redemptions while the database fails over, is killed, loses its replica or hangs.
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
const RETRY_MS = 100;
const TIMEOUT_MS = 30_000;

type RedeemResponse = { status: number; code: string | undefined; retryAfter: string | null };
type Fixture = { portal: Portal; product: Product; tokens: Map<string, string> };

for (const killAt of [1, 7, 20]) {
  test(`no code that a learner received is lost or assigned twice when the primary is killed after ${killAt} responses and the replica replaces it behind the same address`, async () => {
    const pair = await openPair();
    await surviveOutage(
      await prepareFixture(pair.url, { WORKERS: '2' }),
      killAt,
      pair.killPrimary,
      pair.promote,
    );
  });
}

test('no code that a learner received is lost or assigned twice when the database is killed and started again', async () => {
  const server = await startPostgres({ durable: true });
  onTestFinished(server.stop);
  await surviveOutage(
    await prepareFixture(server.url, { WORKERS: '2' }),
    7,
    () => endPostgres(server.process, 'SIGKILL'),
    async () => {
      const { process: restarted } = await runPostgres(server.folder, { durable: true, port: server.port });
      onTestFinished(() => endPostgres(restarted, 'SIGINT'));
    },
  );
});

test('while the replica is down a redemption gets 503, and a retry after its return gets the same code each time', async () => {
  const pair = await openPair();
  // Without these parameters, the portal would wait up to 35 seconds for a statement.
  const fixture = await prepareFixture(`${pair.url}?statement_timeout=2000&query_timeout=3000`);
  const [email] = LEARNERS as [string];
  await pair.stopReplica();
  for (let count = 0; count < 2; count += 1)
    expect(await sendRedeem(fixture, email)).toMatchObject({ status: 503, retryAfter: '2' });
  expect((await fetch(`${fixture.portal.url}/readyz`)).status).toBe(200);
  await pair.startReplica();
  const code = await redeemUntilSuccess(fixture, email);
  expect(await redeemUntilSuccess(fixture, email)).toBe(code);

  await pair.killPrimary();
  await pair.promote();
  const received = [{ email, code }];
  for (const other of LEARNERS)
    received.push({ email: other, code: await redeemUntilSuccess(fixture, other) });
  await expectOneCodeEach(fixture, received);
});

test('while the database hangs, redemptions get 503 and pages work; when it continues, redemptions succeed again', async () => {
  const server = await startPostgres({ durable: true });
  onTestFinished(server.stop);
  const fixture = await prepareFixture(server.url);
  const [first, second] = LEARNERS as [string, string];
  const code = await redeemUntilSuccess(fixture, first);
  await signalPostgres(server, 'SIGSTOP');
  try {
    // The database process is suspended until the end of this block. So the portal must respond without the database.
    const requests = LEARNERS.map((email) => sendRedeem(fixture, email));
    for (const path of ['/', '/healthz', '/login']) {
      expect((await fetch(fixture.portal.url + path)).status).toBe(200);
    }
    for (const response of await Promise.all(requests))
      expect(response).toMatchObject({ status: 503, retryAfter: '2' });
    expect((await fetch(`${fixture.portal.url}/readyz`)).status).toBe(503);
  } finally {
    await signalPostgres(server, 'SIGCONT');
  }
  expect(await redeemUntilSuccess(fixture, first)).toBe(code);
  expect(await redeemUntilSuccess(fixture, second)).not.toBe(code);
  expect((await fetch(`${fixture.portal.url}/readyz`)).status).toBe(200);
});

/**
 * Each learner redeems three times. Kills the database after `killAt` codes. Repairs the database after the portal has
 * refused the first redemption.
 */
async function surviveOutage(
  fixture: Fixture,
  killAt: number,
  kill: () => Promise<void>,
  repair: () => Promise<void>,
): Promise<void> {
  const received: { email: string; code: string }[] = [];
  const refusals: RedeemResponse[] = [];
  const death = Promise.withResolvers<void>();
  const load = Promise.all(
    LEARNERS.map(async (email) => {
      for (let count = 0; count < 3; count += 1) {
        received.push({ email, code: await redeemUntilSuccess(fixture, email, refusals) });
        if (received.length === killAt) death.resolve(kill());
      }
    }),
  );
  await Promise.race([death.promise, load]);
  await expect.poll(() => refusals.length).toBeGreaterThan(0);
  await repair();
  await load;

  for (const { status, retryAfter } of refusals)
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '2' });
  await expectOneCodeEach(fixture, received);
}

async function openPair(): Promise<PostgresPair> {
  const pair = await startPostgresPair();
  onTestFinished(pair.stop);
  return pair;
}

/** Starts a portal with signed-in learners, who may redeem one product. The product has a code for each learner. */
async function prepareFixture(url: string, env: Record<string, string> = {}): Promise<Fixture> {
  const mailbox = await openMailbox();
  const key = randomBytes(32).toString('base64');
  const portal = await startPortal({ mailbox, env: { DATABASE_URL: url, SECRET_KEY: key, ...env } });
  onTestFinished(async () => {
    // Kills the portal first. A graceful stop would wait several seconds, so that proxies send new requests to other
    // processes. After the kill, `stop` only removes the data folder.
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

async function sendRedeem({ portal, product, tokens }: Fixture, email: string): Promise<RedeemResponse> {
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

/** Redeems, and repeats the request after each 503. Returns the code. Throws for other errors, and after 30 seconds. */
async function redeemUntilSuccess(
  fixture: Fixture,
  email: string,
  refusals: RedeemResponse[] = [],
): Promise<string> {
  const untilMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const response = await sendRedeem(fixture, email);
    if (response.code !== undefined) return response.code;
    refusals.push(response);
    if (response.status !== 503 || performance.now() > untilMs)
      throw new Error(`${response.status}\n${fixture.portal.output()}`);
    await delay(RETRY_MS);
  }
}

/** Checks that each learner has one code, no code has two holders, and learners hold the codes that they received. */
async function expectOneCodeEach(
  fixture: Fixture,
  received: { email: string; code: string }[],
): Promise<void> {
  const assigned = await (await openAdmin(fixture.portal)).listAssignedCodes(fixture.product);
  expect(assigned).toHaveLength(LEARNERS.length);
  expect(new Set(assigned.map((line) => line.split(' ')[0])).size).toBe(LEARNERS.length);
  expect(new Set(assigned.map((line) => line.split(' ')[1])).size).toBe(LEARNERS.length);
  for (const { email, code } of received) expect(assigned).toContain(`${code} ${email}`);
}
