// Compares the redemptions per second of a portal with two processes (WORKERS=2) and of a portal with one process.
import { availableParallelism } from 'node:os';
import { onPostgres } from './engines.ts';
import { show, showRatios, table } from './format.ts';
import { redeemAll } from './run-load.ts';
import { prepareScene } from './scene.ts';
import { makeProduct } from './seed.ts';

const ROUNDS = 5;
const LEARNERS = 4_000;
const TURNS = ['1', '2'];

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportProcesses(): Promise<string> {
  const row = await onPostgres(async (place) => {
    const products: string[] = [];
    const scene = await prepareScene(place, LEARNERS, async (db) => {
      for (let round = 0; round < ROUNDS * 4; round += 1) products.push(await makeProduct(db, LEARNERS));
    });
    const found: Record<string, number[]> = { 1: [], 2: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const WORKERS of TURNS) {
        const portal = await scene.start({ WORKERS });
        const redeem = () => redeemAll(portal.url, scene.learners, products.pop() ?? '');
        // The first round only warms up the new processes.
        await redeem();
        found[WORKERS]?.push(await redeem());
        await portal.stop();
      }
    }
    const [one = [], two = []] = TURNS.map((workers) => found[workers]);
    return [show(two), show(one), showRatios(two, one)];
  });
  return `${LEARNERS.toLocaleString('en')} learners redeem one product, 64 at a time, on PostgreSQL. The portal, the database and the load generator
share ${availableParallelism()} cores. If one portal process, the database and the load generator already use all cores, a second process cannot make
redeeming faster.

${table(['two processes, a second', 'one process, a second', 'ratio'], [row])}`;
}
