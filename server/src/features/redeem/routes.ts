// Registers the calls with which a learner redeems a code, and lists the products.
import { listMyProducts as listMyProductsCall, redeemCoupon as redeemCouponCall } from '@portal/contract';
import { authenticationRequired } from '../../app-error.ts';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { listMyProducts, readOffer, shareReads } from './my-products.ts';
import { type RedeemTools, redeemCoupon } from './redeem.ts';

type Tools = RedeemTools & { db: Database; metrics: { noteRedemption(redeemed: { is_new: boolean }): void } };

export function handleRedemption(handle: Handle, { db, metrics, ...tools }: Tools): void {
  handle.authenticatedInStatement(redeemCouponCall, async ({ body, caller }) => {
    const redeemed = await redeemCoupon(db, { caller, ...body }, tools);
    metrics.noteRedemption(redeemed);
    return redeemed;
  });

  // The offer is the same for all learners. So requests at the same time share one read of the offer.
  const offer = shareReads(() => readOffer(db, tools.dayOf(tools.now())));
  handle.authenticatedInStatement(listMyProductsCall, async ({ caller }) => {
    const found = await listMyProducts(db, caller, await offer());
    if (found === null) throw authenticationRequired();
    return found;
  });
}
