// Tests that the dashboard, lists, exports, products, uploads and the search show the same numbers of codes.
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectFiguresAgree } from '../../../test/code-figures.ts';
import { addCodeWorld, createWorldTools, expireNow, inDays } from '../../../test/code-world.ts';
import { addProduct, utcToday } from '../../../test/factories.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { addUpTally, recountTally } from '../dashboard/tally.sql.ts';

describe('R-DAY-20: all figures about codes agree', () => {
  let portal: TestApp;
  let token: string;
  let ended: Product;
  let tools: ReturnType<typeof createWorldTools>;
  beforeAll(async () => {
    portal = await openTestApp();
    token = await portal.signInAdmin();
    tools = createWorldTools(portal, token);
    ({ ended } = await addCodeWorld(portal, token));
  }, 180_000);
  afterAll(() => portal.close());

  const agree = () => expectFiguresAgree({ ...portal, token, today: utcToday() });

  test('in a world with every state, before and after the job, folding, a recount, archiving and bringing back', async () => {
    const figures = await agree();
    for (const [state, count] of Object.entries(figures)) expect(count, state).toBeGreaterThan(0);
    // The numbers are the same before and after the job has run.
    await expireNow(portal);
    expect(await agree()).toEqual(figures);
    await addUpTally(portal.db, new Date());
    expect(await agree()).toEqual(figures);
    expect((await recountTally(portal.db, new Date())).wrong).toBe(0);
    expect(await agree()).toEqual(figures);
    await tools.setStatus(ended, 'live');
    const all = await agree();
    expect(all).toEqual({
      ...{ free: figures.free + 1, held: figures.held + 1, revoked: figures.revoked },
      ...{ void: figures.void + 1, expired: figures.expired + 3 },
    });
    await tools.setStatus(ended, 'archived');
    expect(await agree()).toEqual(figures);
  });

  test('voiding an upload and setting its last day change as many codes as the page has shown', async () => {
    const product = await addProduct(portal.db, { name: 'Acts', codes: ['A-1', 'A-2', 'A-3', 'A-4'] });
    await portal.db.query(
      "update coupon set use_by = $1 where product_id = $2 and coupon_code in ('A-1', 'A-2')",
      [utcToday(), product.product_id],
    );
    const { batch_id } = await tools.findCode(product, 'A-1');
    const read = async () => (await portal.call('GET', `/api/admin/batches/${batch_id}`, { token })).body;
    expect(await read()).toMatchObject({ free: 2, expired: 2, void: 0, datable: 4 });
    await tools.post(`/api/admin/batches/${batch_id}/void`, { reason: 'mistake', note: null, expected: 2 });
    expect(await read()).toMatchObject({ free: 0, expired: 2, void: 2, datable: 2 });
    await tools.post(`/api/admin/batches/${batch_id}/use-by`, { use_by: inDays(9), expected: 2 });
    expect(await read()).toMatchObject({ free: 2, expired: 0, void: 2, datable: 2 });
    await agree();
  });

  test('a page of the list goes over the codes of an archived product', async () => {
    const before = await addProduct(portal.db, { name: 'Before', codes: ['B-1', 'B-2'] });
    const gone = await addProduct(portal.db, { name: 'Gone', codes: 30 });
    const after = await addProduct(portal.db, { name: 'After', codes: ['Z-1'] });
    await tools.setStatus(gone, 'archived');
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
    for (const { product_id } of [before, after]) await tools.setStatus({ product_id }, 'archived');
    await agree();
  });
});
