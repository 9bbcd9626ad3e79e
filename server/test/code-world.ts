// Adds products and codes in every state, with calls of the API, for tests that compare numbers of codes.
import type { Product } from '@portal/contract';
import { expect } from 'vitest';
import { expireCoupons } from '../src/features/codes/void.ts';
import { redeemCoupon } from '../src/features/redeem/redeem.ts';
import { addCodes, addLearner, addProduct, utcDayOf, utcToday } from './factories.ts';
import { REDEEM_TOOLS } from './fill-database.ts';
import type { TestApp } from './open-test-app.ts';
import { TEST_IMPORT_TOOLS } from './test-jobs.ts';

const DAY_MS = 86_400_000;

/** Returns the day in UTC that is `days` after today. */
export const inDays = (days: number): string => utcDayOf(new Date(Date.now() + days * DAY_MS));

/** Runs the job that makes codes void whose last day is over. */
export const expireNow = ({ db }: Pick<TestApp, 'db'>) =>
  expireCoupons(db, { ...TEST_IMPORT_TOOLS, dayOf: utcDayOf, now: () => new Date() });

/** Returns helpers that call the API as the member of staff with the access token `token`. Each call must succeed. */
export function createWorldTools(portal: TestApp, token: string) {
  const { db } = portal;
  const post = async (url: string, body: unknown) => {
    const { status, body: reply } = await portal.call('POST', url, { token, body });
    expect([200, 201], url).toContain(status);
    return reply;
  };
  return {
    post,
    findCode: async ({ product_id }: Product, code: string) => {
      const { rows } = await db.query<{ id: string; batch_id: string }>(
        'select id, batch_id from coupon where product_id = $1 and coupon_code = $2',
        [product_id, code],
      );
      return rows[0] as { id: string; batch_id: string };
    },
    redeem: async (product: Product) => {
      const caller = await addLearner(db, [product]);
      const tools = { ...REDEEM_TOOLS, now: () => new Date(), dayOf: utcDayOf };
      return redeemCoupon(db, { caller, productId: product.product_id }, tools);
    },
    upload: ({ product_id }: Product, codes: string[]) =>
      post('/api/admin/coupons/bulk', {
        productId: product_id,
        csvData: `coupon_code\n${codes.join('\n')}\n`,
      }),
    setStatus: ({ product_id }: Pick<Product, 'product_id'>, status: 'archived' | 'live') =>
      post(`/api/admin/products/${product_id}/status`, { status, note: null }),
  };
}

/**
 * Adds codes in every state, to a live product, an archived one (`ended`), one with generated codes, and one with a
 * shared code. Also adds a product without codes.
 */
export async function addCodeWorld(portal: TestApp, token: string): Promise<{ ended: Product }> {
  const { post, findCode, redeem, upload, setStatus } = createWorldTools(portal, token);
  const { db } = portal;
  const product = await addProduct(db, { name: 'Velloquy', codes: ['HELD-1', 'HELD-2', 'HELD-3'] });
  for (let learner = 0; learner < 3; learner += 1) await redeem(product);
  const { id } = await findCode(product, 'HELD-2');
  await post(`/api/admin/coupons/${id}/revoke`, { reason: 'Leaked' });
  await addCodes(db, product, ['FREE-1', 'FREE-2', 'FREE-3', 'FREE-4']);
  await addCodes(db, product, ['OVER-1', 'OVER-2', 'OVER-3'], inDays(-1));
  await expireNow(portal);
  // These codes expire today, and the job has not made them void yet.
  await addCodes(db, product, ['TODAY-1', 'TODAY-2'], utcToday());
  await addCodes(db, product, ['TOMORROW-1', 'TOMORROW-2', 'TOMORROW-3'], inDays(1));
  const mistake = await findCode(product, 'FREE-4');
  await post(`/api/admin/coupons/${mistake.id}/void`, { reason: 'mistake', note: null });
  await addCodes(db, product, ['VOID-1', 'VOID-2', 'VOID-3']);
  const { batch_id } = await findCode(product, 'VOID-1');
  await post(`/api/admin/batches/${batch_id}/void`, { reason: 'mistake', note: null, expected: 3 });
  // A new upload of codes with the void reason 'mistake' moves these codes to the new upload.
  await upload(product, ['VOID-1', 'VOID-2', 'NEW-1', 'HELD-1']);
  const learner = await addLearner(db, [product]);
  await post('/api/admin/regenerate-coupon', { email: learner.email, productId: product.product_id });

  const ended = await addProduct(db, { name: 'Ended', codes: ['LAST-HELD'] });
  await redeem(ended);
  await addCodes(db, ended, ['DONE-1', 'DONE-2'], inDays(-1));
  await expireNow(portal);
  await addCodes(db, ended, ['DONE-3'], utcToday());
  await addCodes(db, ended, ['DEAD-1', 'KEPT-1']);
  const dead = await findCode(ended, 'DEAD-1');
  await post(`/api/admin/coupons/${dead.id}/void`, { reason: 'dead', note: null });
  await setStatus(ended, 'archived');

  const generated = await addProduct(db, { name: 'Generated' });
  await upload(generated, ['', '-', '']);
  for (const holder of [await addLearner(db, [generated]), await addLearner(db, [generated])])
    await post('/api/admin/generate-coupon', { email: holder.email, productId: generated.product_id });

  const shared = await addProduct(db, {
    ...{ name: 'Shared', shared_coupon: true, codes: ['EVERYBODY', 'FORMER', 'PASSED'] },
  });
  await redeem(shared);
  await redeem(shared);
  const former = await findCode(shared, 'FORMER');
  await post(`/api/admin/coupons/${former.id}/void`, { reason: 'dead', note: null });
  await db.query("update coupon set use_by = $1 where coupon_code = 'PASSED' and holder is null", [
    utcToday(),
  ]);
  await addProduct(db, { name: 'Empty' });
  return { ended };
}
