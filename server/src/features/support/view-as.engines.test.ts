// Tests that the staff view of a learner shows what the learner sees, in each state of a product, and that viewing
// changes nothing in the database but the audit log.
import { randomUUID } from 'node:crypto';
import {
  findSuffix,
  type LearnerView,
  type MyProduct,
  type Product,
  type ViewedTicket,
} from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import {
  addCohort,
  addGrant,
  type Learner,
  listProductsOf,
  redeemOn,
  toolsOn,
} from '../../../test/lifecycle.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { AppError } from '../../app-error.ts';
import { regenerateCoupon, revokeCoupon } from '../codes/issue.ts';
import { viewAsLearner } from './support.ts';

const TODAY = utcToday();
const inDays = (days: number) => new Date(Date.parse(TODAY) + days * 86_400_000).toISOString().slice(0, 10);
const [YESTERDAY, TOMORROW, LATER] = [inDays(-1), inDays(1), inDays(2)];
const ACTOR = 'support@example.org';

let portal: TestApp;
let support: string;
beforeAll(async () => {
  portal = await openTestApp();
  support = await portal.signInAdmin(ACTOR, 'support');
});
afterAll(() => portal.close());

/** Returns app_user.user_id, which is in the URL of the view. */
async function idOf({ user_id }: Learner): Promise<string> {
  const { rows } = await portal.db.query<{ user_id: string }>('select user_id from app_user where id = $1', [
    user_id,
  ]);
  return rows[0]?.user_id ?? '';
}

const view = async (learner: Learner, day = TODAY) =>
  viewAsLearner(portal.db, { user_id: await idOf(learner), actor: ACTOR }, toolsOn(day));

/** Returns the row count and the checksum of every table except the audit log. */
async function readTables(): Promise<Record<string, string>> {
  const { rows: tables } = await portal.db.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'audit' order by 1`,
  );
  expect(tables.length).toBeGreaterThan(15);
  const sums = tables.map(
    ({ name }) =>
      `(select count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) from ${name} t) as ${name}`,
  );
  return (await portal.db.query<Record<string, string>>(`select ${sums.join(', ')}`)).rows[0] ?? {};
}

const setProduct = ({ product_id }: Product, assignments: string) =>
  portal.db.query(`update product set ${assignments} where product_id = $1`, [product_id]);

const setCodes = ({ product_id }: Product, assignments: string) =>
  portal.db.query(`update coupon set ${assignments} where product_id = $1`, [product_id]);

const currentOf = async ({ user_id }: Learner, { product_id }: Product) => {
  const { rows } = await portal.db.query<{ id: string }>(
    'select id from coupon where product_id = $1 and holder = $2 and is_current',
    [product_id, user_id],
  );
  return rows[0]?.id ?? '';
};

const tools = () => toolsOn(TODAY);
const revoke = async (learner: Learner, product: Product, replace: boolean) =>
  revokeCoupon(
    portal.db,
    { id: await currentOf(learner, product), actor: ACTOR, reason: 'Used up', replace },
    tools(),
  );

type Case = {
  codes?: number;
  grant?: { starts_on?: string; ends_on?: string } | null;
  /** Runs after the access is given. May redeem a code. */
  change?: (product: Product, learner: Learner) => Promise<unknown>;
  /** The day on which staff open the view; the default is today. */
  day?: string;
  state: MyProduct['state'] | 'absent';
  refusal?: string;
};
const redeem = (product: Product, learner: Learner, day = TODAY) =>
  redeemOn(portal.db, day, learner, product);
const cases: [string, Case][] = [
  ['redeemable', { state: 'ready' }],
  ['sold out', { codes: 0, state: 'sold_out', refusal: 'no_coupon_left' }],
  [
    'without a code that may still be assigned',
    {
      change: (product) => setCodes(product, `use_by = '${TODAY}'`),
      state: 'sold_out',
      refusal: 'no_coupon_left',
    },
  ],
  [
    'paused',
    { change: (p) => setProduct(p, 'paused_at = now()'), state: 'paused', refusal: 'product_paused' },
  ],
  [
    'opening later',
    {
      change: (p) => setProduct(p, `opens_on = '${TOMORROW}'`),
      state: 'not_yet',
      refusal: 'product_not_open',
    },
  ],
  ['accessible later', { grant: { starts_on: TOMORROW }, state: 'not_yet', refusal: 'access_not_started' }],
  [
    'accessible later, and opening still later',
    {
      grant: { starts_on: TOMORROW },
      change: (p) => setProduct(p, `opens_on = '${LATER}'`),
      state: 'not_yet',
      refusal: 'access_not_started',
    },
  ],
  [
    'accessible later, and paused',
    {
      grant: { starts_on: TOMORROW },
      change: (p) => setProduct(p, 'paused_at = now()'),
      state: 'not_yet',
      refusal: 'access_not_started',
    },
  ],
  ['held', { change: redeem, state: 'issued' }],
  [
    'held and paused',
    {
      change: async (p, l) => [await redeem(p, l), await setProduct(p, 'paused_at = now()')],
      state: 'issued',
    },
  ],
  [
    'held and ended',
    {
      change: async (p, l) => [await redeem(p, l), await setProduct(p, `closes_on = '${YESTERDAY}'`)],
      state: 'issued',
    },
  ],
  [
    'held and archived',
    {
      change: async (p, l) => [await redeem(p, l), await setProduct(p, 'archived_at = now()')],
      state: 'issued',
    },
  ],
  [
    'held, and access is over',
    {
      change: async (p, l) => [
        await redeem(p, l),
        await portal.db.query('update access_grant set ends_on = $2 where user_id = $1', [
          l.user_id,
          YESTERDAY,
        ]),
      ],
      state: 'issued',
    },
  ],
  ...[TODAY, LATER, inDays(3)].map((day): [string, Case] => [
    `held, with the last day ${LATER}, on ${day}`,
    {
      change: async (p, l) => [await setCodes(p, `use_by = '${LATER}'`), await redeem(p, l)],
      state: 'issued',
      day,
    },
  ]),
  [
    'regenerated by staff',
    {
      codes: 2,
      change: async (p, l) => [
        await redeem(p, l),
        await regenerateCoupon(portal.db, { email: l.email, productId: p.product_id, actor: ACTOR }, tools()),
      ],
      state: 'issued',
    },
  ],
  [
    'revoked',
    {
      change: async (p, l) => [await redeem(p, l), await revoke(l, p, false)],
      state: 'revoked',
      refusal: 'code_revoked',
    },
  ],
  [
    'revoked and replaced',
    {
      codes: 2,
      change: async (p, l) => [await redeem(p, l), await revoke(l, p, true)],
      state: 'issued',
    },
  ],
  ['ended', { change: (p) => setProduct(p, `closes_on = '${YESTERDAY}'`), state: 'absent' }],
  ['archived', { change: (p) => setProduct(p, 'archived_at = now()'), state: 'absent' }],
  ['no longer accessible', { grant: { ends_on: YESTERDAY }, state: 'absent' }],
  ['never accessible', { grant: null, state: 'absent' }],
];

describe('R-TRAIL-40: the view agrees with what the learner gets', () => {
  test.each(cases)(
    'for a product that is %s',
    async (_what, { codes = 1, grant = {}, change, day, ...expected }) => {
      const product = await addProduct(portal.db, {
        codes: Array.from({ length: codes }, (_, index) => `TQWL-${index}K4M-${randomUUID().slice(0, 4)}`),
      });
      const { product_id } = product;
      const learner = await addLearner(portal.db, []);
      const other = await addProduct(portal.db, { name: 'Zephyrine', codes: ['OTHER-CODE-0001'] });
      await addGrant(portal.db, { user_id: learner.user_id, product_id: other.product_id });
      if (grant !== null) await addGrant(portal.db, { user_id: learner.user_id, product_id, ...grant });
      await change?.(product, learner);

      const before = await readTables();
      const { person, products, tickets } = await view(learner);
      expect(await readTables()).toEqual(before);

      expect(person).toEqual({ user_id: await idOf(learner), email: learner.email, name: learner.name });
      const own = await listProductsOf(portal.db, learner, day ?? TODAY);
      expect(products).toEqual(own?.map((each) => ({ ...each, coupon_code: null })));
      expect(Object.keys(tickets).sort()).toEqual(products.map((each) => each.product_id).sort());
      const ticket = tickets[product_id];
      if (expected.state === 'absent') return expect(ticket).toBeUndefined();
      expect(ticket).toMatchObject(expected);
      expect(ticket).toEqual({ state: expected.state, ...(await redeemForTicket(product, learner, day)) });
    },
  );
});

/** Redeems as the learner. Returns what the ticket must contain after this result of redeeming. */
async function redeemForTicket(
  product: Product,
  learner: Learner,
  day?: string,
): Promise<Partial<ViewedTicket>> {
  const outcome = await redeem(product, learner, day).catch((error: unknown) => error);
  if (outcome instanceof AppError) {
    const { code: refusal, title, message, day } = outcome;
    return { refusal, title, message, day };
  }
  const { coupon, is_new, use_by, replaced_on, unconfirmed } = outcome as Awaited<ReturnType<typeof redeem>>;
  // The code is new. The view was opened before, so its ticket has no code.
  if (is_new) return {};
  const coupon_id = await currentOf(learner, product);
  return { coupon_id, hint: findSuffix(coupon.couponCode), use_by, replaced_on, unconfirmed };
}

test('R-TRAIL-40: the view shows the day on which a code replaced a revoked one', async () => {
  const product = await addProduct(portal.db, { codes: ['FIRST-CODE-0001', 'SECOND-CODE-0002'] });
  const learner = await addLearner(portal.db, [product]);
  await redeem(product, learner);
  await revoke(learner, product, true);
  const { tickets } = await view(learner);
  expect(tickets[product.product_id]).toMatchObject({ hint: '0002', replaced_on: TODAY });
});

test('R-TRAIL-40: the view of a cohort’s member, and of shared codes, agrees too', async () => {
  const shared = await addProduct(portal.db, { shared_coupon: true, codes: ['SHARED-FOR-ALL-7777'] });
  const learner = await addLearner(portal.db, []);
  await addGrant(portal.db, {
    cohort_id: await addCohort(portal.db, [learner]),
    product_id: shared.product_id,
  });
  expect((await view(learner)).tickets[shared.product_id]).toEqual({ state: 'ready' });
  await redeem(shared, learner);
  expect((await view(learner)).tickets[shared.product_id]).toMatchObject({ state: 'issued', hint: '7777' });
});

test('R-TRAIL-40: a person without products has an empty view', async () => {
  expect(await view(await addLearner(portal.db, []))).toMatchObject({ products: [], tickets: {} });
});

describe('R-TRAIL-40, R-TRAIL-41: the call', () => {
  const read = (user_id: string, token: string) =>
    portal.call('GET', `/api/admin/view-as/${user_id}`, { token });
  const listLines = async () =>
    (
      await portal.db.query(
        `select a.action, a.actor, a.via, host(a.ip) as ip, u.email, a.product_id, a.coupon_id, a.detail
         from audit a left join app_user u on u.id = a.user_id where a.action = 'person.view' order by a.id`,
      )
    ).rows;

  test('writes one line of the log, hands out nothing, and never contains a code', async () => {
    const codes = ['NEVER-SENT-1234', 'NEVER-SENT-5678', 'SHORT-1'];
    const held = await addProduct(portal.db, { codes });
    const short = await addProduct(portal.db, { codes: ['TINY-7'] });
    const learner = await addLearner(portal.db, [held, short]);
    const user_id = await idOf(learner);
    await redeem(held, learner);
    await redeem(short, learner);
    const before = await readTables();
    const linesBefore = await listLines();
    const { status, body } = await read(user_id, support);
    expect(status).toBe(200);
    const { tickets } = body as LearnerView;
    expect(tickets[held.product_id]).toMatchObject({ state: 'issued', hint: '1234' });
    expect(tickets[short.product_id]).toMatchObject({ state: 'issued', hint: null });
    expect(JSON.stringify(body)).not.toMatch(/NEVER-SENT|SHORT-1|TINY/);
    expect(await readTables()).toEqual(before);
    const line = { action: 'person.view', actor: ACTOR, via: 'page', ip: '127.0.0.1', email: learner.email };
    expect((await listLines()).slice(linesBefore.length)).toEqual([
      { ...line, product_id: null, coupon_id: null, detail: {} },
    ]);
  });

  test('sends hints to manager and owner too', async () => {
    const product = await addProduct(portal.db, { codes: ['FOR-MANAGERS-4321'] });
    const learner = await addLearner(portal.db, [product]);
    await redeem(product, learner);
    for (const role of ['manager', 'owner'] as const) {
      const { body } = await read(await idOf(learner), await portal.signInAdmin(`${role}@example.org`, role));
      expect((body as LearnerView).tickets[product.product_id]).toMatchObject({ hint: '4321' });
      expect(JSON.stringify(body)).not.toContain('MANAGERS');
    }
  });

  test('is refused to a viewer, and the refusal is not logged', async () => {
    const before = await listLines();
    const viewer = await portal.signInAdmin('viewer@example.org', 'viewer');
    const { status, body } = await read(await idOf(await addLearner(portal.db, [])), viewer);
    expect([status, body]).toMatchObject([403, { code: 'role_too_low' }]);
    expect(await listLines()).toEqual(before);
  });

  test.each([
    ['an unknown id', randomUUID()],
    ['a text that is no id', 'somebody'],
    ['the number of a row', '1'],
  ])('is 404 for %s, which is not logged', async (_what, id) => {
    const before = await listLines();
    expect(await read(id, support)).toMatchObject({ status: 404, body: { code: 'user_not_found' } });
    expect(await listLines()).toEqual(before);
  });

  test('the database refuses writes while the view is read', async () => {
    const learner = await addLearner(portal.db, []);
    const user_id = await idOf(learner);
    // Adds a statement that writes to the view's transaction. PostgreSQL rejects it with the error code 25006.
    const db = {
      ...portal.db,
      transaction: <T>(work: Parameters<typeof portal.db.transaction<T>>[0]) =>
        portal.db.transaction(async (tx) => {
          const result = await work(tx);
          await tx.query("update app_user set name = 'changed' where user_id = $1", [user_id]);
          return result;
        }),
    };
    await expect(viewAsLearner(db, { user_id, actor: ACTOR }, tools())).rejects.toMatchObject({
      code: '25006',
    });
  });
});

test('new codes of a product that was sold out are seen in the next view', async () => {
  const product = await addProduct(portal.db, { codes: [] });
  const learner = await addLearner(portal.db, [product]);
  expect((await view(learner)).tickets[product.product_id]).toMatchObject({ state: 'sold_out' });
  await addCodes(portal.db, product, ['NEW-CODE-0001']);
  expect((await view(learner)).tickets[product.product_id]).toEqual({ state: 'ready' });
});
