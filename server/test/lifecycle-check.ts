// Performs random actions of staff and learners in a database and in a reference model, and compares the results.
import { expect } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { recountTally } from '../src/features/dashboard/tally.sql.ts';
import { addLearner, addProduct } from './factories.ts';
import { addCohort, type Learner, listProductsOf } from './lifecycle.ts';
import { createActs, FIRST_DAY, redeemIn, type World } from './lifecycle-acts.ts';
import { createModel } from './lifecycle-model.ts';
import { openLogReplay, readGrantsAndCodes } from './log-replay.ts';
import { createRandom } from './random.ts';

// The last product shares its code.
const SHARED = [false, false, false, true];
const STEPS_BETWEEN_CHECKS = 100;
// Numbers of compared people: those who were added last hold few codes, those who were added first many.
const NEWEST = 8;
const OLDEST = 2;

// The kinds of outcomes that the random actions must reach (`expectReached`).
const CODES_SEEN = ['new code', 'held code', 'code_revoked', 'no_coupon_left'];
const WITHOUT_ACCESS = ['access_not_started', 'access_ended', 'product_not_assigned'];
const NOT_LIVE = ['product_not_open', 'product_paused', 'product_ended'];
const CHECKED = {
  'can redeem': [...CODES_SEEN, ...WITHOUT_ACCESS, ...NOT_LIVE],
  'my products': ['ready', 'issued', 'revoked', 'not_yet', 'paused', 'sold_out', 'null'],
};
const ACTS = {
  person: ['ok', 'invalid_request', 'product_not_found'],
  grant: ['ok', 'invalid_request', 'product_not_found'],
  editGrant: ['ok', 'grant_withdrawn'],
  withdraw: ['ok', 'code kept', 'invalid_request'],
  join: ['ok'],
  leave: ['ok'],
  move: ['ok', 'invalid_request'],
  emptyCohort: ['ok', 'count_changed'],
  joinAll: ['ok'],
  uploadPeople: ['ok', 'product_not_found'],
  undoUpload: ['ok', 'count_changed'],
  archiveCohort: ['true', 'false', 'count_changed'],
  cohortDates: ['ok'],
  status: ['ok', 'product_ended'],
  edit: ['ok', 'invalid_request'],
  upload: ['ok', 'product_not_found'],
  single: ['ok', 'product_not_found', 'invalid_request', 'duplicate_code'],
  voidOne: ['ok', 'held'],
  voidBatch: ['ok', 'count_changed'],
  voidCodes: ['ok', 'invalid_request'],
  useBy: ['ok', 'invalid_request'],
  revoke: ['revoked', 'replaced', 'not_held', 'invalid_request'],
  issue: ['code', 'generated code', 'code_revoked', 'product_ended', 'product_not_granted'],
  redeem: CHECKED['can redeem'],
};

/** Adds the products, cohorts and the first learner. The same seed chooses the same actions. */
export async function createWorld(db: Database, seed: number): Promise<World> {
  const product_ids: string[] = [];
  for (const shared_coupon of SHARED) product_ids.push((await addProduct(db, { shared_coupon })).product_id);
  const cohort_ids = [await addCohort(db, []), await addCohort(db, [])];
  const model = createModel(SHARED, FIRST_DAY);
  return {
    db,
    model,
    random: createRandom(seed),
    product_ids,
    learners: [await addLearner(db, [])],
    cohort_ids,
  };
}

/**
 * Returns what the learner would get by redeeming the product: a code, or a refusal. Rolls back the transaction, so no
 * code is assigned.
 */
async function tryToRedeem(
  db: Database,
  redemption: { caller: Learner; productId: string },
  acts: ReturnType<typeof createActs>,
): Promise<unknown> {
  const rollBack = new Error('rolled back');
  let outcome: unknown;
  const attempt = db.transaction(async (tx) => {
    const inside = { ...db, ...tx, transaction: <T>(work: (tx: never) => Promise<T>) => work(tx as never) };
    outcome = await redeemIn(inside as Database, redemption, { ...acts.tools() });
    throw rollBack;
  });
  await attempt.catch((error: unknown) => {
    if (error !== rollBack) throw error;
  });
  return outcome;
}

/** Returns the learner's list of products, in the order of `product_ids`. */
async function listMine(db: Database, learner: Learner, { product_ids, model }: World) {
  const list = await listProductsOf(db, learner, model.state.today);
  return product_ids.map((id) => {
    const found = list?.find(({ product_id }) => product_id === id);
    if (found === undefined) return null;
    const { state, from, use_by, closes_on, sold_out, assigned_at } = found;
    return { state, from, use_by, closes_on, sold_out, isAssigned: assigned_at !== null };
  });
}

/** Returns the numbers of codes of each product, by state, from the tally. */
async function countInTally({ db, product_ids, model }: World) {
  const { rows } = await db.query(
    `select coalesce(free, 0) as free, coalesce(held, 0) as held, coalesce(revoked, 0) as revoked,
       coalesce(void, 0) as void, coalesce(expired, 0) as expired
     from unnest($1::uuid[]) with ordinality p (id, n) left join code_counts($2) c on c.product_id = p.id
     order by p.n`,
    [product_ids, model.state.today],
  );
  return rows;
}

/** Names the kind of an outcome, so that outcomes can be counted: the error code of a refusal, or a word for success. */
function kindOf(outcome: unknown): string {
  if (typeof outcome !== 'object' || outcome === null) return String(outcome);
  if ('refused' in outcome) return String(outcome.refused);
  if ('is_new' in outcome) return outcome.is_new ? 'new code' : 'held code';
  if ('isGenerated' in outcome) return outcome.isGenerated ? 'generated code' : 'code';
  if ('replacement' in outcome) return outcome.replacement === null ? 'revoked' : 'replaced';
  return 'state' in outcome ? String(outcome.state) : 'ok';
}

/**
 * Performs `steps` random actions in the database and in the reference model, and compares the outcomes of each action.
 * After every hundred actions, also compares what learners would get by redeeming, the products that learners see, the
 * tally, and the grants and codes in the tables with those in the audit log. If a comparison fails, the error names the
 * seed, which produces the same actions again. Adds to `reached` how often each kind of outcome was compared: of an action
 * ('voidOne: held'), and in the checks after a hundred actions ('can redeem: product_paused', 'my products: ready').
 */
export async function checkSequence(
  db: Database,
  { seed, steps, reached }: { seed: number; steps: number; reached: Map<string, number> },
): Promise<void> {
  const world = await createWorld(db, seed);
  const acts = createActs(world);
  const { model, learners, product_ids } = world;
  const countOutcome = (where: string, outcome: unknown) => {
    const key = `${where}: ${kindOf(outcome)}`;
    reached.set(key, (reached.get(key) ?? 0) + 1);
  };
  const checkLearner = async (caller: Learner, where: string) => {
    for (const [product, productId] of product_ids.entries()) {
      const expected = model.redeem(caller.email, product, false);
      expect(await tryToRedeem(db, { caller, productId }, acts), where).toEqual(expected);
      countOutcome('can redeem', expected);
    }
    const mine = product_ids.map((_id, product) => model.myProduct(caller.email, product));
    expect(await listMine(db, caller, world), where).toEqual(mine);
    for (const product of mine) countOutcome('my products', product);
  };
  const log = await openLogReplay(db);
  const done: string[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const { name, real, expected } = await acts.step();
    done.push(`${name}: ${JSON.stringify(real)}`);
    expect(real, `seed ${seed}, step ${step}, ${done.slice(-5).join('; ')}`).toEqual(expected);
    if (expected !== undefined) countOutcome(name, expected);
    await log.follow(model.state.today);
    if (step % STEPS_BETWEEN_CHECKS > 0) continue;
    const where = `seed ${seed}, step ${step}`;
    for (const learner of new Set([...learners.slice(0, OLDEST), ...learners.slice(-NEWEST)]))
      await checkLearner(learner, where);
    expect(await countInTally(world), where).toEqual(product_ids.map((_id, product) => model.count(product)));
    const { cohort_ids } = world;
    const owners = [...cohort_ids, ...learners.map(({ user_id }) => user_id ?? '')];
    expect(log.read(), where).toEqual(await readGrantsAndCodes(db, { owners, product_ids, cohort_ids }));
    expect((await recountTally(db, acts.tools().now())).wrong, where).toBe(0);
  }
  expect(await log.findCodes(product_ids), `seed ${seed}: codes in the log`).toEqual([]);
}

/**
 * Expects that each kind of outcome was compared at least `checks` times in the checks after a hundred actions, and at
 * least `acts` times as the outcome of an action. Otherwise the actions did not test all rules.
 */
export function expectReached(
  reached: ReadonlyMap<string, number>,
  { checks, acts }: { checks: number; acts: number },
): void {
  const tooFew = (kinds: Record<string, string[]>, least: number) =>
    Object.entries(kinds)
      .flatMap(([where, outcomes]) => outcomes.map((outcome) => `${where}: ${outcome}`))
      .filter((key) => (reached.get(key) ?? 0) < least)
      .map((key) => `${key} (${reached.get(key) ?? 0})`);
  expect([...tooFew(CHECKED, checks), ...tooFew(ACTS, acts)]).toEqual([]);
}
