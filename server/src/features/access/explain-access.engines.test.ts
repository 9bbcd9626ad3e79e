// Tests the explanations of access: each verdict about a person and a product, and its sentence.
import { randomUUID } from 'node:crypto';
import type { AccessExplained, Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct } from '../../../test/factories.ts';
import { addCohort, addGrant, type Learner, redeemOn, STAFF, toolsOn } from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { regenerateCoupon, revokeCoupon } from '../codes/issue.ts';
import { explainWhy, readUserAccess } from './access.ts';

const TODAY = '2026-11-20';
const [BEFORE, AFTER, LATER] = ['2026-11-19', '2026-11-21', '2026-11-22'];
const tools = toolsOn(TODAY);

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

type World = { product: Product; learner: Learner };
async function makeWorld({ codes = 1, shared_coupon = false } = {}): Promise<World> {
  const product = await addProduct(db, {
    codes: Array.from({ length: codes }, (_, n) => `C-${n}-${randomUUID()}`),
    shared_coupon,
  });
  return { product, learner: await addLearner(db, []) };
}
const explain = ({ product: { product_id }, learner: { email } }: World) =>
  explainWhy(db, { email, product_id }, tools);
const give = ({ product, learner }: World, days: Omit<Parameters<typeof addGrant>[1], 'user_id'> = {}) =>
  addGrant(db, { user_id: learner.user_id, product_id: product.product_id, ...days });
const giveCohort = async ({ product, learner }: World, days = {}, archived = false) => {
  const cohort_id = await addCohort(db, [learner], { archived });
  await db.query("update cohort set name = 'Autumn ' || $2 where cohort_id = $1", [
    cohort_id,
    cohort_id.slice(0, 6),
  ]);
  await addGrant(db, { cohort_id, product_id: product.product_id, ...days });
  return { cohort_id, name: `Autumn ${cohort_id.slice(0, 6)}` };
};
const setProduct = ({ product }: World, assignments: string) =>
  db.query(`update product set ${assignments} where product_id = $1`, [product.product_id]);
const redeem = ({ product, learner }: World) => redeemOn(db, TODAY, learner, product);
const revoke = async (world: World, replace = false) =>
  revokeCoupon(
    db,
    { id: (await explain(world)).code?.id ?? '', actor: STAFF, reason: 'Leaked in a forum', replace },
    tools,
  );

type Case = [
  what: string,
  arrange: (world: World) => Promise<unknown>,
  Pick<AccessExplained, 'verdict' | 'sentence' | 'parts'>,
];
const expected = (
  verdict: AccessExplained['verdict'],
  sentence: string,
  parts: AccessExplained['parts'] = {},
) => ({
  verdict,
  sentence,
  parts,
});
const DIRECT = { source: 'direct', who: STAFF } as const;

const cases: Case[] = [
  [
    'a code that is held, whatever became of access and product',
    async (world) => {
      const grant = await give(world);
      await redeem(world);
      await db.query("update access_grant set ends_on = '2001-01-01' where id = $1", [grant]);
      await setProduct(world, 'archived_at = now()');
    },
    expected('holds_code', 'Holds a code since 20 Nov 2026.', { day: TODAY }),
  ],
  [
    'a code that replaced a revoked one',
    async (world) => {
      await give(world);
      await addCodes(db, world.product, [`NEXT-${randomUUID()}`]);
      await redeem(world);
      await revoke(world, true);
    },
    expected('holds_code', 'Holds a code since 20 Nov 2026.', { day: TODAY }),
  ],
  [
    'a code that was revoked, though access ended too',
    async (world) => {
      await give(world, { ends_on: AFTER });
      await redeem(world);
      await revoke(world);
      await db.query('update access_grant set ends_on = $2 where user_id = $1', [
        world.learner.user_id,
        BEFORE,
      ]);
    },
    expected('code_revoked', 'The code was withdrawn on 20 Nov 2026: Leaked in a forum.', {
      day: TODAY,
      reason: 'Leaked in a forum',
    }),
  ],
  [
    'no grant',
    async () => {},
    expected('no_grant', 'No grant names this product, for this person or any of their cohorts.'),
  ],
  [
    'only a grant of an archived cohort, live or withdrawn',
    async (world) => {
      await giveCohort(world, {}, true);
      await giveCohort(world, { withdrawn_on: BEFORE }, true);
    },
    expected('no_grant', 'No grant names this product, for this person or any of their cohorts.'),
  ],
  [
    'access that begins later, although another grant is over and a third withdrawn; the earliest counts',
    async (world) => {
      await give(world, { ends_on: BEFORE, purchase_id: '7' });
      await give(world, { withdrawn_on: BEFORE });
      await give(world, { starts_on: LATER, purchase_id: '8' });
      await give(world, { starts_on: AFTER });
    },
    expected('future', 'Access begins on 21 Nov 2026, given directly by staff@example.org.', {
      day: AFTER,
      ...DIRECT,
    }),
  ],
  [
    'access that is over; the latest end counts, and a withdrawn grant does not',
    async (world) => {
      await give(world, { withdrawn_on: BEFORE });
      await give(world, { ends_on: '2026-09-30' });
      await give(world, { ends_on: '2026-10-31', purchase_id: '4711' });
    },
    expected('over', 'Access ended on 31 Oct 2026, by purchase 4711.', {
      day: '2026-10-31',
      source: 'purchase',
      purchase_id: '4711',
    }),
  ],
  [
    'access that was withdrawn; the latest withdrawal counts',
    async (world) => {
      await give(world, { withdrawn_on: '2026-11-06' });
      await give(world, { withdrawn_on: '2026-11-01', purchase_id: '4712' });
    },
    expected('withdrawn', 'Access was removed on 6 Nov 2026 by staff@example.org: Left.', {
      day: '2026-11-06',
      who: STAFF,
      reason: 'Left',
    }),
  ],
  [
    'a live grant beside one in the future and one that was withdrawn',
    async (world) => {
      await give(world, { starts_on: AFTER });
      await give(world, { withdrawn_on: BEFORE });
      await give(world, { starts_on: TODAY, ends_on: TODAY, purchase_id: '9' });
    },
    expected('can_redeem', 'Can redeem now, by purchase 9.', { source: 'purchase', purchase_id: '9' }),
  ],
  [
    'an archived product, also if it was paused and has ended',
    async (world) => {
      await give(world);
      await setProduct(
        world,
        "archived_at = '2026-11-02T10:00Z', paused_at = now(), closes_on = '2026-11-01'",
      );
    },
    expected('product_archived', 'This product was archived on 2 Nov 2026.', { day: '2026-11-02' }),
  ],
  [
    'a paused product',
    async (world) => {
      await give(world);
      await setProduct(world, "paused_at = '2026-11-18T10:00Z', opens_on = '2026-12-01'");
    },
    expected('product_paused', 'Has access, but the product is paused since 18 Nov 2026.', {
      day: '2026-11-18',
    }),
  ],
  [
    'a product that opens later',
    async (world) => {
      await give(world);
      await setProduct(world, `opens_on = '${AFTER}'`);
    },
    expected('product_scheduled', 'Has access; redeeming opens on 21 Nov 2026.', { day: AFTER }),
  ],
  [
    'a product that has ended',
    async (world) => {
      await give(world);
      await setProduct(world, `closes_on = '${BEFORE}'`);
    },
    expected('product_ended', 'Has access, but redeeming closed on 19 Nov 2026.', { day: BEFORE }),
  ],
  [
    'a code that may not be assigned on its last day',
    async (world) => {
      await give(world);
      await db.query('update coupon set use_by = $2 where product_id = $1', [
        world.product.product_id,
        TODAY,
      ]);
    },
    expected('sold_out', 'Has access, but no code is left.'),
  ],
  [
    'access given directly',
    async (world) => give(world),
    expected('can_redeem', 'Can redeem now, given directly by staff@example.org.', DIRECT),
  ],
  [
    'access to all products',
    ({ learner: { user_id } }) => addGrant(db, { user_id }),
    expected('can_redeem', 'Can redeem now, all products, by staff@example.org.', {
      source: 'all_products',
      who: STAFF,
    }),
  ],
];

describe('R-COHORT-17', () => {
  test.each(cases)('%s', async (_what, arrange, verdict) => {
    const world = await makeWorld();
    await arrange(world);
    expect(await explain(world)).toMatchObject(verdict);
    const { products } = await readUserAccess(db, world.learner.email, tools);
    const listed = products.find(({ product_id }) => product_id === world.product.product_id);
    // The call user-access does not list products without any grant (N-64).
    expect(listed?.why).toEqual(_what === 'no grant' ? undefined : verdict);
  });

  test('by a cohort, whose name the sentence has', async () => {
    const world = await makeWorld();
    const cohort = await giveCohort(world);
    expect(await explain(world)).toMatchObject(
      expected('can_redeem', `Can redeem now, with cohort ${cohort.name}.`, { source: 'cohort', cohort }),
    );
  });

  test('N-76: sentences name staff by name if they have one', async () => {
    const email = `noor-${randomUUID()}@example.org`;
    await db.query("insert into app_user (email, name) values ($1, 'Noor Haddad')", [email]);
    const world = await makeWorld();
    const id = await give(world);
    await db.query('update access_grant set granted_by = $2 where id = $1', [id, email]);
    const found = await explain(world);
    expect(found.sentence).toBe('Can redeem now, given directly by Noor Haddad.');
    expect(found.grants).toMatchObject([{ id, granted_by: email }]);
    await db.query(
      "update access_grant set withdrawn_at = '2026-11-20T09:00Z', withdrawn_by = $2, withdraw_reason = 'Moved' where id = $1",
      [id, email],
    );
    expect((await explain(world)).sentence).toBe('Access was removed on 20 Nov 2026 by Noor Haddad: Moved.');
  });

  test('a product with shared codes is sold out at its usage limit, and for nobody who holds the code', async () => {
    const world = await makeWorld({ shared_coupon: true });
    await give(world);
    expect((await explain(world)).verdict).toBe('can_redeem');
    const other = { ...world, learner: await addLearner(db, [world.product]) };
    await redeem(other);
    await db.query('update coupon set usage_limit = 1 where product_id = $1', [world.product.product_id]);
    expect([(await explain(world)).verdict, (await explain(other)).verdict]).toEqual([
      'sold_out',
      'holds_code',
    ]);
  });

  test('N-46: if staff revoke a code that was issued anew, the earlier code counts again', async () => {
    const world = await makeWorld({ codes: 2 });
    await give(world);
    await redeem(world);
    const { email } = world.learner;
    await regenerateCoupon(db, { actor: STAFF, email, productId: world.product.product_id }, tools);
    await revoke(world);
    expect((await explain(world)).verdict).toBe('holds_code');
  });

  test('N-47: the grants of a cohort count until the person leaves it', async () => {
    const world = await makeWorld();
    const { cohort_id } = await giveCohort(world, { ends_on: BEFORE });
    expect((await explain(world)).verdict).toBe('over');
    await db.query('delete from cohort_member where cohort_id = $1', [cohort_id]);
    expect((await explain(world)).verdict).toBe('no_grant');
  });
});
