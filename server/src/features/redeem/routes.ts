// Registers the call with which a learner redeems a code.
import { redeemCoupon as redeemCouponCall } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { type RedeemTools, redeemCoupon } from './redeem-coupon.ts';

type Tools = RedeemTools & {
  db: Database;
  metrics: { noteRedemption(redeemed: { is_new: boolean }): void };
};

export function handleRedemption(handle: Handle, { db, metrics, ...tools }: Tools): void {
  handle.authenticatedInStatement(redeemCouponCall, async ({ body, identity: caller }) => {
    const redeemed = await redeemCoupon(db, { caller, ...body }, tools);
    metrics.noteRedemption(redeemed);
    return redeemed;
  });
}
