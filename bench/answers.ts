// Compares the calls per second of the portal and of a bare Fastify server, for two frequent calls. The first call
// lists the learner's products. The second call redeems a product for which the learner already has a code, and returns
// this code.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openCaller } from './caller.ts';
import { onPostgres } from './engines.ts';
import { show, showRatios, table } from './format.ts';
import { listTokens, measureCalls, redeemAll, redeemCall } from './run-load.ts';
import { prepareScene } from './scene.ts';
import { type Learner, makeProduct } from './seed.ts';

const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const ROUNDS = 5;
// The first rounds are not counted, because V8 still optimises the program during its first 20,000 calls.
const WARM_UP_ROUNDS = 3;
const LEARNERS = 2_000;
const CALLS_A_LEARNER = 4;
const PRODUCTS = 12;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportAnswers(): Promise<string> {
  const rows = await onPostgres(async (place) => {
    let productId = '';
    const scene = await prepareScene(place, LEARNERS, async (db) => {
      for (let count = 0; count < PRODUCTS; count += 1) productId = await makeProduct(db, LEARNERS * 2);
    });
    const portal = await scene.start();
    const bare = await startBareServer({
      databaseUrl: place.env.DATABASE_URL ?? '',
      productId,
      identities: scene.learners.map(({ token, identity }) => [token, identity]),
    });
    await redeemAll(portal.url, scene.learners, productId);
    const db = await place.open();
    // Updates the planner's statistics, because the old statistics do not include the codes that were assigned just
    // now. With the old statistics, the planner reads all assigned codes in each call. In production, autovacuum
    // updates the statistics.
    await db.execute('vacuum analyze');
    await db.close();
    const calls: [string, { method: string; path: string; body?: string }][] = [
      [`${PRODUCTS} products of one's own`, { method: 'GET', path: '/api/my/products' }],
      ['redeeming again', redeemCall(productId)],
    ];
    const measured: string[][] = [];
    for (const [name, call] of calls)
      measured.push([name, ...(await compare(portal.url, bare.url, call, scene.learners))]);
    bare.stop();
    await portal.stop();
    return measured;
  });
  return `${LEARNERS.toLocaleString('en')} learners, 64 at a time, on PostgreSQL. *Bare* is a plain Fastify server
with \`pg\` (16 connections), which sends the same reply with one short SQL statement. The bare server checks no token, session or
reply. Both sides are warmed up. *Bytes* is the size of the response body.

${table(['call', 'the portal, a second', 'bare, a second', 'ratio', 'bytes'], rows)}`;
}

type Endpoint = { method: string; path: string; body?: string };

async function compare(portal: string, bare: string, call: Endpoint, learners: Learner[]): Promise<string[]> {
  const tokens = Array.from({ length: CALLS_A_LEARNER }, () => listTokens(learners)).flat();
  const answers = await Promise.all([portal, bare].map((url) => callOnce(url, call, tokens[0] ?? '')));
  if (answers[0] !== answers[1])
    throw new Error(`The bare server responds differently:\n${answers.join('\n')}`);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    theirs.push(await measureCalls({ url: bare, ...call, tokens }));
    ours.push(await measureCalls({ url: portal, ...call, tokens }));
  }
  ours.splice(0, WARM_UP_ROUNDS);
  theirs.splice(0, WARM_UP_ROUNDS);
  return [show(ours), show(theirs), showRatios(ours, theirs), String(answers[0]?.length)];
}

async function callOnce(url: string, call: Endpoint, token: string): Promise<string> {
  const caller = await openCaller(url);
  const answer = await caller.call({ ...call, token });
  caller.close();
  return answer;
}

async function startBareServer(input: object) {
  const child = spawn(process.execPath, [BARE_SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(input));
  const [port] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}`, stop: () => child.kill() };
}
