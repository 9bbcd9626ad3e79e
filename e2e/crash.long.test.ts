// Tests that learners keep their codes if the server is killed repeatedly during concurrent redemptions.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Product } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../server/test/postgres.ts';
import { openAdmin, redeem, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { makePlace, type Portal, startPortal } from './harness/portal.ts';

const CRASHES = 20;
const LEARNERS = Array.from({ length: CRASHES + 4 }, (_, index) => `learner-${index}@learner.example`);
// How often each learner redeems the product.
const PRESSES = 2;

type Issued = { email: string; code: string };

test('embedded database: a crash loses no issued code and issues none twice', async () => {
  await surviveCrashes({});
});

test('PostgreSQL: a crash loses no issued code and issues none twice', async () => {
  const server = await startPostgres({ durable: true });
  onTestFinished(server.stop);
  await surviveCrashes({ DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64') });
});

async function surviveCrashes(env: Record<string, string>): Promise<void> {
  const mailbox = await openMailbox();
  const place = await makePlace();
  const open = () => startPortal({ mailbox, place, env });
  let portal = await open();
  onTestFinished(async () => {
    await portal.stop();
    await mailbox.close();
    await rm(place.dataDir, { recursive: true, force: true });
  });
  // Access tokens contain the portal's address. The port stays the same, so the tokens remain valid after a restart.
  const admin = await openAdmin(portal);
  const products: Product[] = [];
  for (let crash = 1; crash <= CRASHES; crash += 1) {
    const product = await admin.addProduct({ name: `Crash ${crash}` });
    await admin.importCodes(
      product,
      LEARNERS.map((_, index) => `CODE-${crash}-${index}`),
    );
    products.push(product);
  }
  const tokens = new Map<string, string>();
  for (const email of LEARNERS) {
    await admin.addLearner(email, ...products);
    tokens.set(email, (await signIn(portal, email)).access_token);
  }

  for (const [index, product] of products.entries()) {
    const issued = await redeemUntilKilled(portal, product, tokens, index + 1);
    portal = await open();
    const assigned = await admin.listAssignedCodes(product);
    for (const { email, code } of issued) expect(assigned).toContain(`${code} ${email}`);
    expectNoDuplicates(assigned);

    // After the restart every learner gets a code. Learners who already had a code get the same code again.
    const after = await redeemAll(portal.url, product, tokens);
    for (const { email, code } of issued) expect(after).toContainEqual({ email, code });
    const everybody = await admin.listAssignedCodes(product);
    expect(everybody).toHaveLength(LEARNERS.length);
    expectNoDuplicates(everybody);
  }
}

/**
 * Redeems for all learners and kills the portal after it has returned `crash` codes. Each round has a different value
 * of `crash`, so that each crash happens at a different moment. Returns the codes that learners received.
 */
async function redeemUntilKilled(
  portal: Portal,
  product: Product,
  tokens: Map<string, string>,
  crash: number,
): Promise<Issued[]> {
  const issued: Issued[] = [];
  let killed: Promise<void> | undefined;
  await redeemAll(portal.url, product, tokens, (answer) => {
    issued.push(answer);
    if (issued.length === crash) killed = portal.kill();
  });
  expect(killed, 'the storm ended before the crash').toBeDefined();
  await killed;
  return issued;
}

/**
 * Redeems for all learners concurrently, more than once for each learner. Returns the received codes. If `onAnswer` is
 * given, calls `onAnswer` for each received code and ignores connection errors.
 */
async function redeemAll(
  url: string,
  product: Product,
  tokens: Map<string, string>,
  onAnswer?: (issued: Issued) => void,
): Promise<Issued[]> {
  const answers: Issued[] = [];
  const presses = [...tokens].flatMap((learner) => Array.from({ length: PRESSES }, () => learner));
  await Promise.all(
    presses.map(async ([email, token]) => {
      try {
        const answer = { email, code: await redeem(url, product.product_id, token) };
        answers.push(answer);
        onAnswer?.(answer);
      } catch (error) {
        // A killed server causes only these two types of error. Error responses still fail the test.
        if (!onAnswer || !(error instanceof TypeError || error instanceof SyntaxError)) throw error;
      }
    }),
  );
  return answers;
}

/** Checks that no coupon code and no holder occurs twice. An element of `assigned` is a string `code email`. */
function expectNoDuplicates(assigned: string[]): void {
  const codes = assigned.map((line) => line.split(' ')[0]);
  const holders = assigned.map((line) => line.split(' ')[1]);
  expect(new Set(codes).size, 'codes with two holders').toBe(codes.length);
  expect(new Set(holders).size, 'learners with two codes').toBe(holders.length);
}
