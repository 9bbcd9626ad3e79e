// Sets up races: four processes redeem while staff change something (lifecycle-races.ts).
import { randomBytes, randomUUID } from 'node:crypto';
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import type { Identity } from '../src/features/team/callers.sql.ts';
import { addLearner, addProduct, startSessionOf, utcDayOf, utcToday } from './factories.ts';
import type { Outcome, Press } from './redeem-in-process.ts';
import { type Redeemers, startRedeemers } from './redeemers.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from './test-jobs.ts';

export const ACTOR = 'staff@example.org';
const LEARNERS = 40;
const SOME = 16;
// Number of codes that must not be assigned, because today is their last day.
const EXPIRING = 12;
export const CODES = LEARNERS + EXPIRING;
// Concurrent redemptions of each process. Few, so that many redemptions have not begun when the action of staff begins.
const LANES = 2;

export type RaceLearner = Identity & { user_id: string };
export type Stock = Product & { batch_id: string; grant_ids: string[] };
export type CodeRow = {
  id: string;
  coupon_code: string;
  holder: string | null;
  is_current: boolean;
  isRevoked: boolean;
  isVoid: boolean;
  use_by: string;
};
/**
 * Result of a race. `outcomes` has the outcome of each learner, in their order. `early` contains the indexes of learners
 * whose outcome was known before the action of staff began. `codes` are the codes of the product after the race.
 */
export type Raced = { outcomes: Outcome[]; early: ReadonlySet<number>; codes: CodeRow[] };

/** `createDatabase` returns the connection string of a new, migrated PostgreSQL database. */
export function createRaceKit(rounds: number, createDatabase: () => Promise<string>) {
  let db: Database;
  let redeemers: Redeemers;
  let learners: RaceLearner[];
  let products = 0;
  beforeAll(async () => {
    const url = await createDatabase();
    db = await openPostgres({ url, connectTimeoutMs: 30_000 });
    redeemers = startRedeemers(url);
    learners = await Promise.all(
      Array.from({ length: LEARNERS }, async () => {
        const learner = await addLearner(db, []);
        return { user_id: learner.user_id ?? '', ...(await startSessionOf(db, learner)) };
      }),
    );
  });
  afterAll(async () => {
    await redeemers.end();
    await db.close();
  });

  /** Adds a product with codes, to which all learners have access. No other product has the same codes. */
  async function addStock(): Promise<Stock> {
    products += 1;
    const codes = Array.from({ length: CODES }, (_, index) => `P${products}-${index}`);
    const product = await addProduct(db, { codes });
    const { product_id } = product;
    const { rows: batches } = await db.query<{ batch_id: string }>(
      `update coupon set use_by = $2 where id in (
         select id from coupon where product_id = $1 order by id limit $3) returning batch_id`,
      [product_id, utcToday(), EXPIRING],
    );
    const { rows: grants } = await db.query<{ id: string }>(
      `insert into access_grant (user_id, product_id, starts_on, granted_by)
       select id, $1, '2000-01-01', $2 from unnest($3::bigint[]) with ordinality u (id, n) order by n returning id`,
      [product_id, ACTOR, learners.map(({ user_id }) => user_id)],
    );
    return { ...product, batch_id: batches[0]?.batch_id ?? '', grant_ids: grants.map(({ id }) => id) };
  }

  async function listCodes({ product_id }: Product): Promise<CodeRow[]> {
    const { rows } = await db.query<CodeRow>(
      `select id, coupon_code, holder, is_current, revoked_at is not null as "isRevoked",
              voided_at is not null as "isVoid", use_by
       from coupon where product_id = $1 order by id`,
      [product_id],
    );
    return rows;
  }

  const pressAll = ({ product_id }: Product, people = learners): Press[] =>
    people.map((caller) => ({ caller, product_id }));

  /**
   * Runs a race; for `startAfter`, see `redeemAtOnce`. Then checks four rules. No void or expired code has a holder. Each
   * learner holds the code of the outcome. No two learners got the same code. Each learner with codes has exactly one
   * current code.
   */
  async function race(
    product: Stock,
    act: (onStep: () => void) => Promise<unknown>,
    {
      startAfter,
      at = null,
      people = learners,
    }: { startAfter: number; at?: string | null; people?: RaceLearner[] },
  ): Promise<Raced> {
    let early: ReadonlySet<number> = new Set();
    const meanwhile = (done: ReadonlySet<number>, onStep: () => void) => {
      early = new Set(done);
      return act(onStep);
    };
    const presses = pressAll(product, people);
    const outcomes = await redeemers.redeemAtOnce(presses, { meanwhile, startAfter, at, lanes: LANES });
    const codes = await listCodes(product);
    const held = codes.filter(({ holder }) => holder !== null);
    expect(held.filter(({ isVoid, use_by }) => isVoid || use_by <= utcToday())).toEqual([]);
    const given = outcomes.flatMap(({ code }) => code ?? []);
    expect(new Set(given).size).toBe(given.length);
    for (const [index, { code }] of outcomes.entries()) {
      const own = held.filter(({ holder }) => holder === people[index]?.user_id);
      if (code !== undefined) expect(own.map(({ coupon_code }) => coupon_code)).toContain(code);
      expect(own.filter(({ is_current }) => is_current)).toHaveLength(own.length > 0 ? 1 : 0);
    }
    return { codes, outcomes, early };
  }

  /**
   * Repeats a race until `rounds` races were contested: of the learners who redeemed during the action of staff, at least
   * one won and at least one lost. `run` runs the race and returns its result. `hasWon` returns whether the learner with
   * this index won. If nobody lost, the action begins earlier in the next race; if nobody won, later. `startAfter` is the
   * value for the first race. A negative value is for actions of several steps only.
   */
  async function repeat(
    startAfter: number,
    run: (startAfter: number) => Promise<Raced>,
    hasWon: (outcome: Outcome, index: number) => boolean = ({ code }) => code !== undefined,
  ): Promise<void> {
    let next = startAfter;
    let contested = 0;
    for (let round = 0; contested < rounds; round += 1) {
      expect(round, `${contested} contested races`).toBeLessThan(5 * rounds + 20);
      const { outcomes, early } = await run(next);
      const meanwhile = [...outcomes.entries()].filter(([index]) => !early.has(index));
      const won = meanwhile.filter(([index, outcome]) => hasWon(outcome, index)).length;
      // Subtracts the steps before the first redemption, because nobody could win in them.
      const lost = meanwhile.length - won - Math.max(0, -next);
      if (won > 0 && lost > 0) contested += 1;
      if (won === 0) next += 1;
      else if (lost <= 0) next = startAfter < 0 ? next - 1 : Math.max(0, next - 1);
    }
  }

  /**
   * Lets the learners of a race redeem again. A learner who got a code must get the same code. All others must be refused
   * with `refusal`.
   */
  async function expectClosed(product: Stock, { outcomes }: Raced, refusal: string): Promise<void> {
    const after = await redeemers.redeemAtOnce(pressAll(product).slice(0, outcomes.length));
    for (const [index, { code, refused }] of after.entries()) {
      const earlier = outcomes[index]?.code;
      if (earlier === undefined) expect(refused).toBe(refusal);
      else expect(code).toBe(earlier);
    }
  }

  const tools = (now = () => new Date()) => ({
    ...TEST_IMPORT_TOOLS,
    ...createUploadTools(db),
    now,
    dayOf: utcDayOf,
    randomBytes,
    randomUuid: randomUUID,
  });
  return {
    ...{ rounds, addStock, listCodes, race, repeat, expectClosed, tools },
    db: () => db,
    /** The learners whose access or codes staff change one by one. */
    some: () => learners.slice(0, SOME),
    redeem: (product: Stock, people: RaceLearner[]) => redeemers.redeemAtOnce(pressAll(product, people)),
  };
}
