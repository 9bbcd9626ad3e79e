// The server is killed in a storm of redemptions, again and again: what a learner was told stays true.
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
// Each learner presses more than once, as impatient people do.
const PRESSES = 2;

type Told = { email: string; code: string };

test('embedded database: no code that a learner was told is lost or given twice by a crash', async () => {
  await surviveCrashes({});
});

test('PostgreSQL: no code that a learner was told is lost or given twice by a crash', async () => {
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
  // The port stays, so the tokens and the administrator do too.
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
    const told = await stormUntilKilled(portal, product, tokens, index + 1);
    portal = await open();
    const held = await admin.listAssignedCodes(product);
    for (const { email, code } of told) expect(held).toContain(`${code} ${email}`);
    expectNobodyTwice(held);

    // Everybody gets a code in the end, and those who were told one get that one.
    const after = await storm(portal.url, product, tokens);
    for (const { email, code } of told) expect(after).toContainEqual({ email, code });
    const everybody = await admin.listAssignedCodes(product);
    expect(everybody).toHaveLength(LEARNERS.length);
    expectNobodyTwice(everybody);
  }
}

/** Kills the portal at the `crash`-th response, so that every crash meets it at another moment; returns what learners were told. */
async function stormUntilKilled(
  portal: Portal,
  product: Product,
  tokens: Map<string, string>,
  crash: number,
): Promise<Told[]> {
  const told: Told[] = [];
  let killed: Promise<void> | undefined;
  await storm(portal.url, product, tokens, (answer) => {
    told.push(answer);
    if (told.length === crash) killed = portal.kill();
  });
  expect(killed, 'the storm ended before the crash').toBeDefined();
  await killed;
  return told;
}

/** All learners redeem at once, each more than once. What a dead server does not answer is left out. */
async function storm(
  url: string,
  product: Product,
  tokens: Map<string, string>,
  onAnswer?: (told: Told) => void,
): Promise<Told[]> {
  const answers: Told[] = [];
  const presses = [...tokens].flatMap((learner) => Array.from({ length: PRESSES }, () => learner));
  await Promise.all(
    presses.map(async ([email, token]) => {
      try {
        const answer = { email, code: await redeem(url, product.product_id, token) };
        answers.push(answer);
        onAnswer?.(answer);
      } catch (error) {
        // A refusal of the server is another matter than its death.
        if (!onAnswer || !(error instanceof TypeError || error instanceof SyntaxError)) throw error;
      }
    }),
  );
  return answers;
}

/** `held` are lines of code and holder: no code and no holder may come twice. */
function expectNobodyTwice(held: string[]): void {
  const codes = held.map((line) => line.split(' ')[0]);
  const holders = held.map((line) => line.split(' ')[1]);
  expect(new Set(codes).size, 'codes with two holders').toBe(codes.length);
  expect(new Set(holders).size, 'learners with two codes').toBe(holders.length);
}
