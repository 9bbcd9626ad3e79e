// Registers the calls that list, create, issue, revoke and void coupons.
import {
  createCoupon as createCouponCall,
  generateCoupon as generateCouponCall,
  hasRole,
  listCoupons,
  regenerateCoupon as regenerateCouponCall,
  revokeCoupon as revokeCouponCall,
  voidCoupon as voidCouponCall,
} from '@portal/contract';
import { roleTooLow } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import * as coupons from '../stores/coupons.ts';
import { getCouponTotal } from '../stores/tally.ts';
import { createCoupon } from '../usecases/create-coupon.ts';
import { isUuid } from '../usecases/is-uuid.ts';
import { generateCoupon, type IssueTools, regenerateCoupon } from '../usecases/issue-coupon.ts';
import { revokeCoupon } from '../usecases/revoke-coupon.ts';
import { voidCoupon } from '../usecases/void-coupon.ts';
import type { Handle } from './handle.ts';
import { sendList } from './send-list.ts';

export function handleCoupons(handle: Handle, { db, ...tools }: { db: Database } & IssueTools): void {
  handle(listCoupons, async ({ query: { limit, cursor, q, ...filter } }, reply) => {
    if (filter.product_id !== undefined && !isUuid(filter.product_id)) return [];
    return sendList(
      reply,
      { limit, cursor },
      q
        ? {
            list: (page) => coupons.searchCoupons(db, { ...filter, ...page, q }),
            count: () => coupons.countFoundCoupons(db, { ...filter, q }),
          }
        : {
            list: (page) => coupons.listCoupons(db, { ...filter, ...page }),
            count: () => getCouponTotal(db, filter),
          },
    );
  });

  handle(createCouponCall, ({ body, caller }) =>
    createCoupon(db, { actor: caller.email, coupon: body }, tools),
  );

  handle(generateCouponCall, ({ body, caller }) =>
    generateCoupon(db, { actor: caller.email, ...body }, tools),
  );

  handle(regenerateCouponCall, ({ body, caller }) =>
    regenerateCoupon(db, { actor: caller.email, ...body }, tools),
  );

  handle(revokeCouponCall, async ({ params: { id }, body, caller }) => {
    // Without a replacement, the user is left without a code (N-12).
    if (!body.replace && !hasRole(caller.team_role, 'manager')) throw roleTooLow(caller);
    return revokeCoupon(db, { id, actor: caller.email, ...body }, tools);
  });

  handle(voidCouponCall, ({ params: { id }, body, caller }) =>
    voidCoupon(db, { id, actor: caller.email, ...body }, tools),
  );
}
