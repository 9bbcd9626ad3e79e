// Performs random actions of staff and learners in a database and in a reference model, and compares the results.
import { expect } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { CODES } from '../src/stores/tally.ts';
import { createClaimHints } from '../src/usecases/claim-hints.ts';
import { recountTally } from '../src/usecases/recount-tally.ts';
import { redeemCoupon } from '../src/usecases/redeem-coupon.ts';
import { addLearner, addProduct } from './factories.ts';
import { addCohort, listProductsOf } from './lifecycle.ts';
import { createActs, outcomeOf, type World } from './lifecycle-acts.ts';
import { createModel, createRandom } from './lifecycle-model.ts';

const PRODUCTS = 3;
const LEARNERS = 4;
const STEPS_BETWEEN_CHECKS = 100;

async function createWorld(db: Database, seed: number): Promise<World> {
  const product_ids: string[] = [];
  for (let count = 0; count < PRODUCTS; count += 1) product_ids.push((await addProduct(db)).product_id);
  const learners = await Promise.all(Array.from({ length: LEARNERS }, () => addLearner(db, [])));
  const members = learners.slice(0, 2);
  const cohort_id = await addCohort(db, members);
  const model = createModel(
    PRODUCTS,
    members.map(({ email }) => email),
  );
  return { db, model, random: createRandom(seed), product_ids, learners, cohort_id };
}

/**
 * Returns what each learner would get by redeeming each product: a code, or an error code. Rolls back each transaction,
 * so no code is assigned.
 */
async function tryToRedeem({ db, learners, product_ids }: World, acts: ReturnType<typeof createActs>) {
  const outcomes: string[] = [];
  const rollBack = new Error('rolled back');
  for (const caller of learners) {
    for (const productId of product_ids) {
      let outcome = '';
      const attempt = db.transaction(async (tx) => {
        const inside = {
          ...db,
          ...tx,
          transaction: <T>(work: (tx: never) => Promise<T>) => work(tx as never),
        };
        const tools = { ...acts.tools(), hints: createClaimHints() };
        const redeeming = redeemCoupon(inside as Database, { caller, productId }, tools);
        const refusal = await outcomeOf(redeeming.then(({ coupon }) => (outcome = coupon.couponCode)));
        outcome ||= refusal;
        throw rollBack;
      });
      await attempt.catch((error: unknown) => {
        if (error !== rollBack) throw error;
      });
      outcomes.push(outcome);
    }
  }
  return outcomes;
}

async function listMine({ db, learners, product_ids }: World, today: string) {
  const lists = await Promise.all(learners.map((learner) => listProductsOf(db, learner, today)));
  return lists.map((list) =>
    product_ids.map((id) => {
      const found = list?.find(({ product_id }) => product_id === id);
      return found === undefined ? null : { state: found.state, from: found.from };
    }),
  );
}

/** Returns the numbers of codes of each product, by state, from the tally. */
async function countInTally({ db, product_ids }: World) {
  const { rows } = await db.query(
    `select ${CODES.left} as free, ${CODES.held} as held, ${CODES.revoked} as revoked, ${CODES.void} as void
     from unnest($1::uuid[]) with ordinality p (id, n) left join tally_now f on f.product_id = p.id
     group by p.n order by p.n`,
    [product_ids],
  );
  return rows;
}

function countInModel({ model }: World) {
  return model.products.map(({ codes }) => ({
    free: codes.filter(model.isFree).length,
    held: codes.filter(({ holder, isRevoked }) => holder !== null && !isRevoked).length,
    revoked: codes.filter(({ isRevoked }) => isRevoked).length,
    void: codes.filter(({ voided }) => voided !== null).length,
  }));
}

/**
 * Performs `steps` random actions in the database and in the reference model, and compares the outcomes of each action.
 * After every hundred actions, compares three more results: what each learner would get by redeeming, the products that
 * each learner sees, and the tally. If the comparison fails, the error names the seed. The same seed produces the same
 * actions again.
 */
export async function checkSequence(
  db: Database,
  { seed, steps }: { seed: number; steps: number },
): Promise<void> {
  const world = await createWorld(db, seed);
  const acts = createActs(world);
  const { model, learners, product_ids } = world;
  const done: string[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const { name, real, expected } = await acts.step();
    done.push(`${name}: ${real}`);
    expect(real, `seed ${seed}, step ${step}, ${done.slice(-5).join('; ')}`).toBe(expected);
    if (step % STEPS_BETWEEN_CHECKS > 0) continue;
    const where = `seed ${seed}, step ${step}`;
    const today = acts.today();
    const each = <T>(work: (email: string, product: number) => T) =>
      learners.map(({ email }) => product_ids.map((_id, product) => work(email, product)));
    expect(await tryToRedeem(world, acts), where).toEqual(
      each((email, product) => model.redeem(email, product, today, false)).flat(),
    );
    expect(await listMine(world, today), where).toEqual(
      each((email, product) => model.myProduct(email, product, today)),
    );
    expect(await countInTally(world), where).toEqual(countInModel(world));
    expect((await recountTally(db, acts.tools().now())).wrong, where).toBe(0);
  }
}
