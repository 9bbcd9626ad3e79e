// Fills an empty portal with the sample data, through the same use cases as an administrator's.
import { createHash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { createBatch, createCoupons } from '../stores/coupons.ts';
import { createClaimHints } from '../usecases/claim-hints.ts';
import { makeCouponCode } from '../usecases/coupon-code.ts';
import { createProduct } from '../usecases/create-product.ts';
import { redeemCoupon } from '../usecases/redeem-coupon.ts';
import { saveUser } from '../usecases/save-user.ts';
import { setAdmin } from '../usecases/set-admin.ts';
import { DEMO_ADMIN, DEMO_LEARNERS, DEMO_PRODUCTS } from './demo-data.ts';

export async function fillDemo(db: Database): Promise<void> {
  await setAdmin(db, { email: DEMO_ADMIN, admin: true, actor: 'portal' });
  const product_ids: string[] = [];
  for (const { codes, prefix, ...product } of DEMO_PRODUCTS) {
    const { product_id } = await createProduct(db, { actor: DEMO_ADMIN, product });
    product_ids.push(product_id);
    if (codes > 0)
      await addCodes(db, product_id, product.shared_coupon ? [prefix] : makeCodes(prefix, codes));
  }
  const tools = { hints: createClaimHints(), now: () => new Date(), supportEmail: DEMO_ADMIN };
  for (const { email, name, products, redeemed } of DEMO_LEARNERS) {
    if (name === null) continue;
    const ids = products.map((index) => product_ids[index] as string);
    await saveUser(db, { actor: DEMO_ADMIN, user: { email, name, phone_number: null, product_ids: ids } });
    const caller = { auth_id: '', email, name, session_id: null };
    for (const productId of ids.slice(0, redeemed)) await redeemCoupon(db, { caller, productId }, tools);
  }
}

async function addCodes(db: Database, product_id: string, codes: string[]): Promise<void> {
  const shared = codes.length === 1;
  await db.transaction(async (tx) => {
    const batch_id = await createBatch(tx, { product_id, source: 'file', created_by: DEMO_ADMIN });
    await createCoupons(tx, { product_id, batch_id, shared, codes });
  });
}

// The same codes on every start, so that a screenshot taken today looks like yesterday's.
function makeCodes(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    let drawn = 0;
    const bytes = () => createHash('sha256').update(`${prefix} ${index} ${drawn++}`).digest().subarray(0, 1);
    return `${prefix}-${makeCouponCode(bytes).slice(5)}`;
  });
}
