// Tests that the dashboard, lists, exports, products, uploads and the search show the same numbers of codes.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectFiguresAgree } from '../../../test/code-figures.ts';
import { addCodes, addLearner, addProduct, utcDayOf, utcToday } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { createActs } from '../../../test/lifecycle-acts.ts';
import { createWorld } from '../../../test/lifecycle-check.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { addUpTally, recountTally } from '../dashboard/tally.sql.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { expireCoupons } from './void.ts';

const actor = 'staff@example.org';
const DAY_MS = 86_400_000;
const inDays = (days: number) => utcDayOf(new Date(Date.now() + days * DAY_MS));

describe('R-DAY-20: all figures about codes agree', () => {
  let portal: TestApp;
  let token: string;
  let ended: Product;
  beforeAll(async () => {
    portal = await openTestApp();
    token = await portal.signInAdmin(actor);
    await addWorld();
  }, 180_000);
  afterAll(() => portal.close());

  const post = async (url: string, body: unknown) => {
    const { status, body: reply } = await portal.call('POST', url, { token, body });
    expect([200, 201], url).toContain(status);
    return reply;
  };
  const idOf = async (product: Product, code: string) => {
    const { rows } = await portal.db.query<{ id: string; batch_id: string }>(
      'select id, batch_id from coupon where product_id = $1 and coupon_code = $2',
      [product.product_id, code],
    );
    return rows[0] as { id: string; batch_id: string };
  };
  const redeem = async (product: Product) => {
    const caller = await addLearner(portal.db, [product]);
    const tools = { ...REDEEM_TOOLS, now: () => new Date(), dayOf: utcDayOf };
    return redeemCoupon(portal.db, { caller, productId: product.product_id }, tools);
  };
  const upload = (product: Product, codes: string[]) =>
    post('/api/admin/coupons/bulk', {
      productId: product.product_id,
      csvData: `coupon_code\n${codes.join('\n')}\n`,
    });
  const archive = ({ product_id }: Product, status: 'archived' | 'live') =>
    post(`/api/admin/products/${product_id}/status`, { status, note: null });

  /** Adds codes in every state, to a live, an ended and an archived product, and to one with a shared code. */
  async function addWorld(): Promise<void> {
    const product = await addProduct(portal.db, { name: 'Velloquy', codes: ['HELD-1', 'HELD-2', 'HELD-3'] });
    for (let learner = 0; learner < 3; learner += 1) await redeem(product);
    const { id } = await idOf(product, 'HELD-2');
    await post(`/api/admin/coupons/${id}/revoke`, { reason: 'Leaked' });
    await addCodes(portal.db, product, ['FREE-1', 'FREE-2', 'FREE-3', 'FREE-4']);
    await addCodes(portal.db, product, ['OVER-1', 'OVER-2', 'OVER-3'], inDays(-1));
    await expireCoupons(portal.db, { ...TEST_IMPORT_TOOLS, dayOf: utcDayOf, now: () => new Date() });
    // These codes expire today, and the job has not made them void yet.
    await addCodes(portal.db, product, ['TODAY-1', 'TODAY-2'], utcToday());
    await addCodes(portal.db, product, ['TOMORROW-1', 'TOMORROW-2', 'TOMORROW-3'], inDays(1));
    const mistake = await idOf(product, 'FREE-4');
    await post(`/api/admin/coupons/${mistake.id}/void`, { reason: 'mistake', note: null });
    await addCodes(portal.db, product, ['VOID-1', 'VOID-2', 'VOID-3']);
    const { batch_id } = await idOf(product, 'VOID-1');
    await post(`/api/admin/batches/${batch_id}/void`, { reason: 'mistake', note: null, expected: 3 });
    // A new upload of codes with the void reason 'mistake' moves these codes to the new upload.
    await upload(product, ['VOID-1', 'VOID-2', 'NEW-1', 'HELD-1']);
    const learner = await addLearner(portal.db, [product]);
    await post('/api/admin/regenerate-coupon', { email: learner.email, productId: product.product_id });

    ended = await addProduct(portal.db, { name: 'Ended', codes: ['LAST-HELD'] });
    await redeem(ended);
    await addCodes(portal.db, ended, ['DONE-1', 'DONE-2'], inDays(-1));
    await expireCoupons(portal.db, { ...TEST_IMPORT_TOOLS, dayOf: utcDayOf, now: () => new Date() });
    await addCodes(portal.db, ended, ['DONE-3'], utcToday());
    await addCodes(portal.db, ended, ['DEAD-1', 'KEPT-1']);
    const dead = await idOf(ended, 'DEAD-1');
    await post(`/api/admin/coupons/${dead.id}/void`, { reason: 'dead', note: null });
    await archive(ended, 'archived');

    const generated = await addProduct(portal.db, { name: 'Generated' });
    for (const codes of [['']]) await upload(generated, [...codes, '-', ...codes]);
    const holder = await addLearner(portal.db, [generated]);
    await post('/api/admin/generate-coupon', { email: holder.email, productId: generated.product_id });
    const second = await addLearner(portal.db, [generated]);
    await post('/api/admin/generate-coupon', { email: second.email, productId: generated.product_id });

    const shared = await addProduct(portal.db, {
      ...{ name: 'Shared', shared_coupon: true, codes: ['EVERYBODY', 'FORMER', 'PASSED'] },
    });
    await redeem(shared);
    await redeem(shared);
    const former = await idOf(shared, 'FORMER');
    await post(`/api/admin/coupons/${former.id}/void`, { reason: 'dead', note: null });
    await portal.db.query("update coupon set use_by = $1 where coupon_code = 'PASSED' and holder is null", [
      utcToday(),
    ]);
    await addProduct(portal.db, { name: 'Empty' });
  }

  const agree = () => expectFiguresAgree({ ...portal, token, today: utcToday() });

  test('in a world with every state, before and after the job, folding, a recount, archiving and bringing back', async () => {
    const figures = await agree();
    for (const [state, count] of Object.entries(figures)) expect(count, state).toBeGreaterThan(0);
    // The numbers are the same before and after the job has run.
    await expireCoupons(portal.db, { ...TEST_IMPORT_TOOLS, dayOf: utcDayOf, now: () => new Date() });
    expect(await agree()).toEqual(figures);
    await addUpTally(portal.db, new Date());
    expect(await agree()).toEqual(figures);
    expect((await recountTally(portal.db, new Date())).wrong).toBe(0);
    expect(await agree()).toEqual(figures);
    await archive(ended, 'live');
    const all = await agree();
    expect(all).toEqual({
      ...{ free: figures.free + 1, held: figures.held + 1, revoked: figures.revoked },
      ...{ void: figures.void + 1, expired: figures.expired + 3 },
    });
    await archive(ended, 'archived');
    expect(await agree()).toEqual(figures);
  });

  test('voiding an upload and setting its last day change as many codes as the page has shown', async () => {
    const product = await addProduct(portal.db, { name: 'Acts', codes: ['A-1', 'A-2', 'A-3', 'A-4'] });
    await portal.db.query(
      "update coupon set use_by = $1 where product_id = $2 and coupon_code in ('A-1', 'A-2')",
      [utcToday(), product.product_id],
    );
    const { batch_id } = await idOf(product, 'A-1');
    const read = async () => (await portal.call('GET', `/api/admin/batches/${batch_id}`, { token })).body;
    expect(await read()).toMatchObject({ free: 2, expired: 2, void: 0, datable: 4 });
    await post(`/api/admin/batches/${batch_id}/void`, { reason: 'mistake', note: null, expected: 2 });
    expect(await read()).toMatchObject({ free: 0, expired: 2, void: 2, datable: 2 });
    await post(`/api/admin/batches/${batch_id}/use-by`, { use_by: inDays(9), expected: 2 });
    expect(await read()).toMatchObject({ free: 2, expired: 0, void: 2, datable: 2 });
    await agree();
  });

  test('a page of the list goes over the codes of an archived product', async () => {
    const before = await addProduct(portal.db, { name: 'Before', codes: ['B-1', 'B-2'] });
    const gone = await addProduct(portal.db, { name: 'Gone', codes: 30 });
    const after = await addProduct(portal.db, { name: 'After', codes: ['Z-1'] });
    await archive(gone, 'archived');
    const page = async (query: string) => {
      const { body, headers } = await portal.call('GET', `/api/coupons?${query}`, { token });
      return { codes: (body as { coupon_code: string }[]).map((row) => row.coupon_code), headers };
    };
    const first = await page('limit=2');
    expect(first.codes).toEqual(['Z-1', 'B-2']);
    const second = await page(`limit=2&cursor=${first.headers['x-next-cursor']}`);
    expect(second.codes[0]).toBe('B-1');
    expect((await page('limit=5&q=code-7')).codes).toEqual([]);
    expect((await page('limit=5&q=code-7&archived=true')).codes).toEqual(['CODE-7']);
    expect((await page(`limit=5&q=code-7&product_id=${gone.product_id}`)).codes).toEqual(['CODE-7']);
    for (const { product_id } of [before, after]) await archive({ product_id } as Product, 'archived');
    await agree();
  });
});

test('R-DAY-20: all figures about codes agree after 1,000 random acts', { timeout: 180_000 }, async () => {
  let clock = () => new Date();
  const portal = await openTestApp({ clock: () => clock() });
  onTestFinished(() => portal.close());
  const token = await portal.signInAdmin(actor);
  const world = await createWorld(portal.db, 2026);
  const acts = createActs(world);
  for (let step = 1; step <= 1_000; step += 1) {
    await acts.step();
    if (step % 500 > 0) continue;
    clock = acts.tools().now;
    await expectFiguresAgree({ ...portal, token, today: utcDayOf(clock()) });
  }
});
