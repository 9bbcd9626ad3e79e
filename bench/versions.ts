// Compares this version of the portal with an earlier one: redemptions and lists of products per second. Both versions
// run on this machine and take turns. BASE names the commit of the earlier version, for example
// `BASE=v1.0 script/bench versions`. The benchmark `crowd` does the same with very many people, who are in cohorts in this
// version only.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { show, showOne, showRatios, table } from './format.ts';
import { listTokens, measureCalls, redeemAll, redeemCall } from './run-load.ts';
import { makeCohorts, makePeople } from './seed.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = 15;
// The first rounds are not counted, because V8 still optimises the program during its first 20,000 calls.
const WARM_UP_ROUNDS = 3;
const LEARNERS = 4_000;
// In each round, the learners redeem another product.
const PRODUCTS = WARM_UP_ROUNDS + ROUNDS;
const CALLS = ['redeeming', `${PRODUCTS} products of one's own`, 'redeeming again'] as const;

/** People who make no calls. Everybody is in five of the cohorts. */
type Crowd = { people: number; cohorts: number };
const NOBODY = { people: 0, cohorts: 0 };
const CROWD = { people: 300_000, cohorts: 1_000 };
const COHORTS_OF_PERSON = 5;

type Figures = Record<(typeof CALLS)[number], number>;

/** One version of the portal that is running on a database of its own. */
type Side = { measure(round: number): Promise<Figures> };

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportVersions(): Promise<string> {
  return compareVersions(NOBODY);
}

/** Does the same as `reportVersions`, with very many people and cohorts. */
export async function reportCrowd(): Promise<string> {
  return `Both sides have ${showOne(CROWD.people)} more people. Only this version has cohorts: ${showOne(CROWD.cohorts)}, which give three products each. Everybody is in
${COHORTS_OF_PERSON} of them.

${await compareVersions(CROWD)}`;
}

async function compareVersions(crowd: Crowd): Promise<string> {
  const base = process.env.BASE;
  if (base === undefined) throw new Error('BASE must name a commit of an earlier version.');
  const { stdout } = await run('git', ['log', '-1', '--format=%h of %cs', base], { cwd: ROOT });
  const rows = await withCheckout(base, async (earlier) => {
    const measured: string[][] = [];
    for (const engine of ['embedded', 'PostgreSQL']) {
      const { before, now } = await compare(engine, earlier, crowd);
      for (const call of CALLS) {
        const [ours = [], theirs = []] = [now, before].map((rounds) =>
          rounds.map((figures) => figures[call]),
        );
        measured.push([engine, call, show(ours), show(theirs), showRatios(ours, theirs)]);
      }
    }
    return measured;
  });
  return `This version and commit ${stdout.trim()} take turns. Each has its own process and database. ${LEARNERS.toLocaleString('en')} learners make the calls,
64 at a time; there are ${PRODUCTS} products. Every commit is durable. Both sides are warmed up, and ${ROUNDS} rounds are counted.

${table(['engine', 'call', 'now, a second', 'before, a second', 'ratio'], rows)}`;
}

/** Checks out the commit into a temporary folder, installs its packages, builds its pages, and calls `work`. */
async function withCheckout<T>(commit: string, work: (root: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'portal-earlier-'));
  try {
    await run('git', ['worktree', 'add', '--detach', '--force', root, commit], { cwd: ROOT });
    const setUp = '. script/set-up.sh; install_packages all; build_pages';
    await run('sh', ['-c', setUp, 'script/bench'], { cwd: root, maxBuffer: 2 ** 26 });
    return await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
    await run('git', ['worktree', 'prune'], { cwd: ROOT });
  }
}

async function compare(engine: string, earlier: string, { people, cohorts }: Crowd) {
  return withSide({ root: ROOT, engine, people, cohorts }, (newer) =>
    withSide({ root: earlier, engine, people, cohorts: 0 }, async (older) => {
      const rounds: { before: Figures; now: Figures }[] = [];
      for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
        // The versions take turns in being first, so that load on the machine affects both alike.
        const first = round % 2 === 0 ? newer : older;
        const measured = await first.measure(round);
        const other = await (first === newer ? older : newer).measure(round);
        rounds.push(first === newer ? { now: measured, before: other } : { now: other, before: measured });
      }
      const counted = rounds.slice(WARM_UP_ROUNDS);
      return { before: counted.map(({ before }) => before), now: counted.map(({ now }) => now) };
    }),
  );
}

/** Starts the version in the folder `root`, with the benchmark modules of that version, and calls `work`. */
async function withSide<T>(
  { root, engine, people, cohorts }: Crowd & { root: string; engine: string },
  work: (side: Side) => Promise<T>,
): Promise<T> {
  const load = (file: string) => import(pathToFileURL(join(root, 'bench', file)).href);
  const { ENGINES } = (await load('engines.ts')) as typeof import('./engines.ts');
  const { prepareScene } = (await load('scene.ts')) as typeof import('./scene.ts');
  const { makeProduct } = (await load('seed.ts')) as typeof import('./seed.ts');
  const onEngine = ENGINES.find(([name]) => name === engine)?.[1];
  if (onEngine === undefined) throw new Error(`The earlier version has no engine ${engine}.`);
  return onEngine(async (place) => {
    const hot: string[] = [];
    const scene = await prepareScene(place, LEARNERS, async (db) => {
      while (hot.length < PRODUCTS) hot.push(await makeProduct(db, LEARNERS));
      if (people > 0) await makePeople(db, people);
      if (cohorts > 0) await makeCohorts(db, { count: cohorts, each: COHORTS_OF_PERSON, products: hot });
    });
    const portal = await scene.start();
    try {
      return await work({
        measure: async (round) => {
          const productId = hot[round] ?? '';
          const tokens = listTokens(scene.learners);
          const redeeming = await redeemAll(portal.url, scene.learners, productId);
          const list = { url: portal.url, method: 'GET', path: '/api/my/products', tokens };
          const again = { url: portal.url, ...redeemCall(productId), tokens };
          return {
            redeeming,
            [`${PRODUCTS} products of one's own`]: await measureCalls(list),
            'redeeming again': await measureCalls(again),
          } as Figures;
        },
      });
    } finally {
      await portal.stop();
    }
  });
}
