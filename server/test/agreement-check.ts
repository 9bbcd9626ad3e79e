// Compares verdicts about access with redemptions, for random people and products.
import { randomUUID } from 'node:crypto';
import type { Explanation, Verdict } from '@portal/contract';
import { expect } from 'vitest';
import { AppError } from '../src/app-error.ts';
import type { Database } from '../src/db/database.ts';
import { explainWhy, readUserAccess } from '../src/features/access/access.ts';
import { type Learner, redeemOn, toolsOn } from './lifecycle.ts';
import { createRandom } from './random.ts';
import { addRandomAccess, createChoice, TODAY } from './random-access.ts';

/** The outcome of a redemption after each verdict: a new code, the held one, or the error code of the refusal. */
const OUTCOMES: Record<Exclude<Verdict, 'waiting'>, string> = {
  unknown_person: 'email_not_registered',
  holds_code: 'held code',
  code_revoked: 'code_revoked',
  no_grant: 'product_not_assigned',
  future: 'access_not_started',
  over: 'access_ended',
  withdrawn: 'access_ended',
  product_archived: 'product_ended',
  product_paused: 'product_paused',
  product_scheduled: 'product_not_open',
  product_ended: 'product_ended',
  sold_out: 'no_coupon_left',
  can_redeem: 'new code',
};
/** Refusals that name the day of the verdict. */
const WITH_DAY = ['access_not_started', 'access_ended', 'product_not_open'];

type Outcome = { outcome: string; day: string | undefined };

async function redeem(db: Database, learner: Learner, product_id: string): Promise<Outcome> {
  const result = await redeemOn(db, TODAY, learner, { product_id }).catch((error: unknown) => error);
  if (result instanceof AppError) return { outcome: result.code, day: result.day };
  if (result instanceof Error) throw result;
  const { is_new } = result as Awaited<ReturnType<typeof redeemOn>>;
  return { outcome: is_new ? 'new code' : 'held code', day: undefined };
}

function announce({ verdict, parts }: Explanation): Outcome {
  const outcome = OUTCOMES[verdict as keyof typeof OUTCOMES];
  return { outcome, day: WITH_DAY.includes(outcome) ? parts.day : undefined };
}

/**
 * Reads the verdicts of at least `pairs` random pairs of a person and a product, then redeems and compares: success, or
 * the refusal with its day. Also compares the list of a person's products with the call about one product. The same
 * `seed` makes the same pairs. Adds to `reached` how often each verdict occurred.
 */
export async function checkAgreement(
  db: Database,
  { seed, pairs, reached }: { seed: number; pairs: number; reached: Map<string, number> },
): Promise<void> {
  const choice = createChoice(createRandom(seed));
  const tools = toolsOn(TODAY);
  let done = 0;
  const check = async (learner: Learner, product_id: string, why: Explanation) => {
    const where = `seed ${seed}, pair ${done}: ${JSON.stringify(why)}`;
    expect(await redeem(db, learner, product_id), where).toEqual(announce(why));
    reached.set(why.verdict, (reached.get(why.verdict) ?? 0) + 1);
    done += 1;
  };
  while (done < pairs) {
    const { learners, product_ids } = await addRandomAccess(db, choice);
    for (const learner of learners) {
      const { email } = learner;
      const { products } = await readUserAccess(db, email, tools);
      const listed = new Map(products.map(({ product_id, why }) => [product_id, why]));
      const sample = choice.pick(product_ids);
      for (const product_id of product_ids) {
        const known = listed.get(product_id);
        const isAsked = known === undefined || product_id === sample;
        const asked = isAsked ? await explainWhy(db, { email, product_id }, tools) : known;
        const { verdict, sentence, parts } = asked;
        if (known === undefined)
          expect(['no_grant', 'product_archived', 'future', 'over', 'withdrawn']).toContain(verdict);
        else expect(known).toEqual({ verdict, sentence, parts });
        await check(learner, product_id, asked);
      }
    }
    const stranger = {
      ...(learners[0] as Learner),
      email: `stranger-${randomUUID()}@example.org`,
      user_id: null,
    };
    const product_id = choice.pick(product_ids);
    await check(stranger, product_id, await explainWhy(db, { email: stranger.email, product_id }, tools));
  }
}

/** Expects that each verdict occurred at least `least` times. Otherwise the pairs were not random enough. */
export function expectVerdicts(reached: ReadonlyMap<string, number>, least: number): void {
  expect(Object.keys(OUTCOMES).filter((verdict) => (reached.get(verdict) ?? 0) < least)).toEqual([]);
}
