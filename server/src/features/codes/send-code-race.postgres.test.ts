// Tests issuing a named code while the code or its recipient changes. The tests run on PostgreSQL only, because the embedded
// engine has one connection and cannot run two statements at the same time.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct, startSessionOf, utcDayOf, utcToday } from '../../../test/factories.ts';
import { STAFF } from '../../../test/lifecycle.ts';
import { createTestDatabase, openTestPostgres } from '../../../test/open-test-database.ts';
import type { Database, Db } from '../../db/database.ts';
import { claimCoupon } from '../redeem/redeem.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { sendCode } from './send-code.ts';
import { voidCoupon } from './void.ts';

const clock = { now: () => new Date(), dayOf: utcDayOf };
const reader = { email: STAFF, team_role: 'manager', user_id: '1' } as const;

let db: Database;
// Another pool of connections, which stands for another process of the portal.
let other: Database;
beforeAll(async () => {
  const url = await createTestDatabase();
  [db, other] = await Promise.all([openTestPostgres(url), openTestPostgres(url)]);
});
afterAll(async () => {
  await other?.close();
  await db?.close();
});

type Learner = Awaited<ReturnType<typeof addLearner>>;

async function listCodes({ product_id }: Product) {
  const { rows } = await db.query<{ id: string; code: string; holder: string | null; is_current: boolean }>(
    `select id, coupon_code as code, holder, is_current, voided_at is not null as is_void
     from coupon where product_id = $1 order by pos`,
    [product_id],
  );
  return rows;
}

const idOf = async (product: Product, code: string) =>
  (await listCodes(product)).find((each) => each.code === code)?.id ?? '';
const send = (id: string, { email }: Learner, by = db) =>
  sendCode(by, { id, actor: STAFF, email, reader }, clock).then(
    ({ coupon }) => `${coupon.coupon_code}`,
    ({ code }: { code?: string }) => `refused: ${code}`,
  );
async function redeem({ product_id }: Product, learner: Learner) {
  const caller = await startSessionOf(db, learner);
  const tools = { ...clock, supportEmail: 'help@example.org' };
  return redeemCoupon(other, { caller, productId: product_id }, tools).then(
    ({ coupon }) => coupon.couponCode,
    ({ code }: { code?: string }) => `refused: ${code}`,
  );
}
const claim = (tx: Db, { product_id }: Product, { user_id }: Learner) =>
  claimCoupon(tx, {
    ...{ product_id, user_id: user_id ?? '', assigned_by: 'learner', action: 'coupon.redeem' },
    ...{ at: new Date(), today: utcToday() },
  });

/** Starts `act` in the transaction of `first`, before its commit, and waits until `act` waits for a lock. */
async function during<T>(first: (tx: Db) => Promise<unknown>, act: () => Promise<T>): Promise<T> {
  let started: Promise<T> | undefined;
  await db.transaction(async (tx) => {
    await first(tx);
    started = act();
    started.catch(() => undefined);
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await db.query(waiting)).rowCount).toBe(1);
  });
  return started as Promise<T>;
}

test('R-DAY-32: a code that another learner is claiming is not issued', async () => {
  const product = await addProduct(db, { codes: ['ONE', 'TWO'] });
  const [ann, ben] = await Promise.all([addLearner(db, [product]), addLearner(db, [product])]);
  const id = await idOf(product, 'ONE');
  expect(
    await during(
      (tx) => claim(tx, product, ann),
      () => send(id, ben),
    ),
  ).toBe('refused: held');
  expect(await listCodes(product)).toMatchObject([{ holder: ann.user_id }, { holder: null }]);
});

test('R-DAY-32: a person who is redeeming another code gets no second code', async () => {
  const product = await addProduct(db, { codes: ['ONE', 'TWO'] });
  const ann = await addLearner(db, [product]);
  const id = await idOf(product, 'TWO');
  expect(
    await during(
      (tx) => claim(tx, product, ann),
      () => send(id, ann),
    ),
  ).toBe('refused: held');
  expect(await listCodes(product)).toMatchObject([{ holder: ann.user_id }, { holder: null }]);
});

test('R-DAY-32: a code that becomes void meanwhile is not issued', async () => {
  const product = await addProduct(db, { codes: ['ONE'] });
  const ann = await addLearner(db, [product]);
  const id = await idOf(product, 'ONE');
  const makeVoid = (tx: Db) => {
    const within: Database = { ...db, ...tx, transaction: (work) => work(tx) };
    return voidCoupon(within, { id, actor: STAFF, reason: 'dead', note: null }, clock);
  };
  expect(await during(makeVoid, () => send(id, ann))).toBe('refused: void');
  expect(await listCodes(product)).toMatchObject([{ holder: null, is_void: true }]);
});

test('R-DAY-32: of codes issued, redeemed and voided at once, each has one holder, and each person one current code', async () => {
  const product = await addProduct(db, { codes: 12 });
  const people = await Promise.all(Array.from({ length: 6 }, () => addLearner(db, [product])));
  const ids = (await listCodes(product)).map(({ id }) => id);
  // Each person is sent two codes and redeems; each code is sent to two people; some codes become void.
  const outcomes = await Promise.all([
    ...people.flatMap((person, at) => [
      send(ids[at] ?? '', person),
      send(ids[(at + 1) % ids.length] ?? '', person, other),
      redeem(product, person),
    ]),
    ...ids.slice(3, 5).map((id) =>
      voidCoupon(other, { id, actor: STAFF, reason: 'mistake', note: null }, clock).then(
        () => 'voided',
        ({ code }: { code?: string }) => `refused: ${code}`,
      ),
    ),
  ]);
  expect(outcomes.filter((each) => !/^(CODE-\d+|voided|refused: (held|void))$/.test(each))).toEqual([]);
  const codes = await listCodes(product);
  const holders = codes.flatMap(({ holder }) => holder ?? []);
  expect(holders.toSorted()).toEqual(people.map(({ user_id }) => user_id).toSorted());
  expect(codes.filter(({ holder, is_current }) => (holder !== null) !== is_current)).toEqual([]);
  const { rows } = await db.query(
    `select coupon_id from audit where product_id = $1 and action in ('coupon.issue', 'coupon.redeem')
     group by coupon_id having count(*) > 1`,
    [product.product_id],
  );
  expect(rows).toEqual([]);
});
