// Compares two numbers of redemptions per second: over HTTP, and in a loop that runs only the SQL statement of a
// redemption. In both cases 64 callers redeem the same product in parallel.

import type { Database } from '../server/src/db/database.ts';
import { findOrClaimCoupon } from '../server/src/features/redeem/redeem.ts';
import { ENGINES, type OnEngine } from './engines.ts';
import { show, showRatios, table } from './format.ts';
import { redeemAll } from './run-load.ts';
import { prepareScene } from './scene.ts';
import { type Learner, makeProduct } from './seed.ts';

const ROUNDS = 5;
const LEARNERS = 4_000;
const CALLERS = 64;
const REST_MS = 3_000;

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportRedemptions(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, onEngine] of ENGINES) rows.push([name, ...(await measureEngine(onEngine))]);
  return `${LEARNERS.toLocaleString('en')} learners redeem one product, ${CALLERS} at a time; each round has a new product. Every commit is durable.
*Bare* is the same SQL statement in a loop, without HTTP and tokens, in another database (PostgreSQL: 16 connections). Both sides
are warmed up: the portal has already checked each token once, as in real use, where a page makes calls before its button is pressed.

${table(['engine', 'over HTTP, a second', 'bare, a second', 'ratio', 'start, seconds', 'memory at rest, MB', 'after the load, MB'], rows)}`;
}

async function measureEngine(onEngine: OnEngine): Promise<string[]> {
  return onEngine((barePlace) =>
    onEngine(async (place) => {
      const products = { bare: [] as string[], http: [] as string[] };
      const fill = (into: string[]) => async (db: Database) => {
        for (let round = 0; round <= ROUNDS; round += 1) into.push(await makeProduct(db, LEARNERS));
      };
      const bareScene = await prepareScene(barePlace, LEARNERS, fill(products.bare));
      const scene = await prepareScene(place, LEARNERS, fill(products.http));

      const startSeconds: number[] = [];
      const restMemory: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const portal = await scene.start();
        startSeconds.push(portal.startSeconds);
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
        restMemory.push(await portal.memory());
        await portal.stop();
      }

      const bare: number[] = [];
      const http: number[] = [];
      const db = await barePlace.open();
      const portal = await scene.start();
      for (let round = 0; round <= ROUNDS; round += 1) {
        bare.push(await claimBare(db, bareScene.learners, products.bare[round] ?? ''));
        http.push(await redeemAll(portal.url, scene.learners, products.http[round] ?? ''));
      }
      const loadedMemory = await portal.memory();
      await portal.stop();
      await db.close();
      bare.shift();
      http.shift();
      return [
        show(http),
        show(bare),
        showRatios(http, bare),
        show(startSeconds, 2),
        show(restMemory),
        loadedMemory.toFixed(0),
      ];
    }),
  );
}

async function claimBare(db: Database, learners: Learner[], product_id: string): Promise<number> {
  const waiting = learners.values();
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const { user_id } of waiting) {
        const claim = {
          product_id,
          user_id,
          assigned_by: 'learner',
          action: 'coupon.redeem',
          at: new Date(),
          today: new Date().toISOString().slice(0, 10),
        };
        const found = await findOrClaimCoupon(db, claim);
        if (!found?.coupon_code) throw new Error('no code');
      }
    }),
  );
  return learners.length / ((performance.now() - startedMs) / 1000);
}
