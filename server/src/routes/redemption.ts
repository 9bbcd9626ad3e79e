// The call by which a learner takes a code.
import { redeemCoupon as redeemCouponCall } from '@portal/contract';
import type { Database } from '../db/database.ts';
import { type RedeemTools, redeemCoupon } from '../usecases/redeem-coupon.ts';
import type { Handle } from './handle.ts';

export function handleRedemption(handle: Handle, { db, ...tools }: { db: Database } & RedeemTools): void {
  handle.unguarded(redeemCouponCall, ({ body, identity: caller }) =>
    redeemCoupon(db, { caller, ...body }, tools),
  );
}
