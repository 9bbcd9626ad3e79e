// Tests edits of a product: the stored fields, the audit line, refused edits, and what learners then see.
import { type EditedProduct, editedProduct, PRODUCT_FACTS, PRODUCT_TEXTS } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct, utcDayOf } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import type { Caller } from '../team/callers.sql.ts';
import { findProduct, findProductRecord } from './products.sql.ts';
import { editProduct, setProductStatus } from './products.ts';

const ACTOR = 'staff@example.org';
const TODAY = '2026-11-20';
const AT = new Date(`${TODAY}T12:00:00.000Z`);
const tools = { now: () => AT, dayOf: utcDayOf, supportEmail: 'help@example.org' };

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const edit = (product_id: string, more: Partial<EditedProduct> = {}) =>
  editProduct(
    db,
    {
      product_id,
      actor: ACTOR,
      edited: editedProduct.parse({
        name: 'Tarnquill',
        description: 'A writing workspace.',
        url: 'tarnquill.example/redeem',
        version: 1,
        ...more,
      }),
    },
    tools,
  );
const setStatus = (product_id: string, status: 'live' | 'paused' | 'archived', note: string | null = null) =>
  setProductStatus(db, { product_id, actor: ACTOR, status, note }, tools);
const record = (product_id: string) => findProductRecord(db, product_id, TODAY);
const redeem = (caller: Caller, productId: string) => redeemCoupon(db, { caller, productId }, tools);

async function listLines(product_id: string): Promise<unknown[]> {
  const { rows } = await db.query(
    "select actor, action, detail from audit where product_id = $1 and action <> 'product.create' order by id",
    [product_id],
  );
  return rows;
}

describe('an edit', () => {
  test('R-LIFE-10: it replaces the fields, raises the version, and its audit line has each changed field as [old, new]', async () => {
    const { product_id } = await addProduct(db);
    const saved = await edit(product_id, {
      name: 'Tarnquill Team',
      opens_on: '2026-12-01',
      instructions: 'Go.',
    });
    expect(saved).toEqual({
      ...Object.fromEntries([...PRODUCT_TEXTS, ...PRODUCT_FACTS].map(({ name }) => [name, null])),
      perks: null,
      logo: null,
      position: 0,
      product_id,
      name: 'Tarnquill Team',
      description: 'A writing workspace.',
      url: 'tarnquill.example/redeem',
      instructions: 'Go.',
      shared_coupon: false,
      status: 'scheduled',
      opens_on: '2026-12-01',
      closes_on: null,
      use_by_default: null,
      version: 2,
    });
    expect(await record(product_id)).toMatchObject({
      ...saved,
      changed_by: ACTOR,
      changed_at: AT.toISOString(),
    });
    expect(await listLines(product_id)).toEqual([
      {
        actor: ACTOR,
        action: 'product.edit',
        detail: {
          name: ['Tarnquill', 'Tarnquill Team'],
          instructions: [null, 'Go.'],
          opens_on: [null, '2026-12-01'],
        },
      },
    ]);
    expect(await edit(product_id, { version: 2 })).toMatchObject({
      opens_on: null,
      status: 'live',
      version: 3,
    });
  });

  test('R-LIFE-10: a save without a change keeps the version and writes no audit line', async () => {
    const { product_id } = await addProduct(db);
    expect(await edit(product_id)).toMatchObject({ name: 'Tarnquill', version: 1 });
    expect(await record(product_id)).toMatchObject({ changed_by: null });
    expect(await listLines(product_id)).toEqual([]);
  });

  test('R-LIFE-10: an edit of an older version is refused and writes nothing; of two at once one is saved', async () => {
    const { product_id } = await addProduct(db);
    const both = await Promise.allSettled([
      edit(product_id, { name: 'One' }),
      edit(product_id, { name: 'Two' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: {
        code: 'edit_conflict',
        status: 409,
        message: 'Somebody else changed this product meanwhile. Reload to see their version.',
      },
    });
    expect(await record(product_id)).toMatchObject({ version: 2 });
    expect(await listLines(product_id)).toHaveLength(1);
  });

  test('R-LIFE-10, N-59: shared_coupon stays as it is, and a default last day must lie after today', async () => {
    const { product_id } = await addProduct(db);
    await expect(edit(product_id, { shared_coupon: true })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'shared_coupon cannot be changed',
    });
    await expect(edit(product_id, { use_by_default: TODAY })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'use_by_default must be a day after today such as 2026-12-31',
    });
    expect(await edit(product_id, { use_by_default: '2026-11-21' })).toMatchObject({
      use_by_default: '2026-11-21',
    });
  });

  test('R-LIFE-10: an unknown or malformed id is not found', async () => {
    for (const id of ['00000000-0000-4000-8000-000000000000', 'nope'])
      await expect(edit(id)).rejects.toMatchObject({ code: 'product_not_found' });
  });

  test('R-LIFE-10, N-105: an archived product can be edited', async () => {
    const { product_id } = await addProduct(db);
    await setStatus(product_id, 'archived');
    expect(await edit(product_id, { name: 'Last words' })).toMatchObject({
      name: 'Last words',
      status: 'archived',
    });
  });
});

describe('the status', () => {
  test.each([
    ['live', {}],
    ['live', { opens_on: TODAY, closes_on: TODAY }],
    ['scheduled', { opens_on: '2026-11-21' }],
    ['ended', { closes_on: '2026-11-19' }],
  ])('R-LIFE-12: it is %s on 20 Nov with %o', async (status, window) => {
    const { product_id } = await addProduct(db);
    expect(await edit(product_id, window)).toMatchObject({ status });
    expect(await findProduct(db, product_id, TODAY)).toMatchObject({ status });
  });

  test('R-LIFE-12: archived comes before paused, and paused before the days', async () => {
    const { product_id } = await addProduct(db);
    await edit(product_id, { closes_on: '2026-11-19' });
    expect(await setStatus(product_id, 'paused')).toMatchObject({ status: 'paused' });
    expect(await setStatus(product_id, 'archived')).toMatchObject({ status: 'archived' });
    expect(await setStatus(product_id, 'live')).toMatchObject({ status: 'ended' });
  });

  test('R-LIFE-11, N-69: each change is audited once, a repeat changes nothing, and the version stays', async () => {
    const { product_id } = await addProduct(db);
    await setStatus(product_id, 'live');
    await setStatus(product_id, 'paused', 'Partner moves');
    await setStatus(product_id, 'paused', 'Another note');
    const paused = {
      status: 'paused',
      paused_at: AT.toISOString(),
      paused_by: ACTOR,
      pause_note: 'Partner moves',
    };
    expect(await record(product_id)).toMatchObject(paused);
    await setStatus(product_id, 'live');
    await setStatus(product_id, 'paused');
    await setStatus(product_id, 'archived');
    expect(await setStatus(product_id, 'archived')).toMatchObject({ version: 1 });
    expect(await record(product_id)).toMatchObject({ archived_at: AT.toISOString(), archived_by: ACTOR });
    await expect(setStatus(product_id, 'paused')).rejects.toMatchObject({
      code: 'product_ended',
      status: 409,
    });
    await setStatus(product_id, 'live');
    expect(await record(product_id)).toMatchObject({
      status: 'live',
      paused_at: null,
      paused_by: null,
      pause_note: null,
      archived_at: null,
      archived_by: null,
    });
    const line = (action: string, detail = {}) => ({ actor: ACTOR, action, detail });
    expect(await listLines(product_id)).toEqual([
      line('product.pause', { note: 'Partner moves' }),
      line('product.resume'),
      line('product.pause'),
      line('product.archive'),
      line('product.unarchive'),
    ]);
  });

  test('R-LIFE-11, HOLD: after each change the holder gets the same code again, and others get the refusal', async () => {
    const product = await addProduct(db, { codes: ['HELD', 'FREE'] });
    const { product_id } = product;
    const [holder, other] = [await addLearner(db, [product]), await addLearner(db, [product])];
    await redeem(holder, product_id);
    const changes: [string, () => Promise<unknown>][] = [
      ['product_paused', () => setStatus(product_id, 'paused')],
      ['product_ended', () => setStatus(product_id, 'archived')],
      [
        'product_ended',
        async () => {
          await setStatus(product_id, 'live');
          await edit(product_id, { closes_on: '2026-11-19' });
        },
      ],
      ['product_not_open', () => edit(product_id, { opens_on: '2026-11-21', version: 2 })],
    ];
    for (const [code, change] of changes) {
      await change();
      expect(await redeem(holder, product_id)).toMatchObject({
        coupon: { couponCode: 'HELD' },
        is_new: false,
      });
      await expect(redeem(other, product_id)).rejects.toMatchObject({ code });
    }
    await edit(product_id, { version: 3 });
    expect(await redeem(other, product_id)).toMatchObject({ coupon: { couponCode: 'FREE' } });
    expect(await record(product_id)).toMatchObject({ held: 2, left: 0, void: 0 });
  });
});
