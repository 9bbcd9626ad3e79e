// Registers the calls that list, create, issue, revoke and void coupons.
import {
  type Coupon,
  createCoupon as createCouponCall,
  generateCoupon as generateCouponCall,
  hasRole,
  type ListedCoupon,
  listCoupons,
  REVOKE_ONLY_ROLE,
  regenerateCoupon as regenerateCouponCall,
  revealCoupon as revealCouponCall,
  revokeCoupon as revokeCouponCall,
  voidCoupon as voidCouponCall,
} from '@portal/contract';
import { roleTooLow } from '../../app-error.ts';
import type { Database } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import type { Handle } from '../../http/handle.ts';
import { sendList } from '../../http/send-list.ts';
import { getCouponTotal } from '../dashboard/tally.sql.ts';
import * as coupons from './coupons.sql.ts';
import { createCoupon } from './create-coupon.ts';
import { generateCoupon, type IssueTools, regenerateCoupon } from './issue-coupon.ts';
import { hideCode, hideFromOthers, hideRevoked, isMasked, type Masking } from './mask-codes.ts';
import { revealCoupon } from './reveal-coupon.ts';
import { revokeCoupon } from './revoke-coupon.ts';
import { voidCoupon } from './void-coupon.ts';

export function handleCoupons(
  handle: Handle,
  { db, ...tools }: { db: Database } & IssueTools & Masking,
): void {
  handle(listCoupons, async ({ query: { limit, cursor, q, generated, ...query }, caller }, reply) => {
    if (query.product_id !== undefined && !isUuid(query.product_id)) return [];
    const filter = { ...query, archived: query.archived === 'true', today: tools.dayOf(tools.now()) };
    const masked = isMasked(caller, tools);
    // Hides the codes here, not in the schema of the reply: the export of the whole list does not use the schema.
    const hide = async (rows: Promise<Coupon[]>): Promise<ListedCoupon[]> =>
      masked ? (await rows).map(hideCode) : rows;
    const search = { ...filter, q: q ?? '', isExact: masked };
    if (generated)
      return sendList(
        reply,
        { limit, cursor },
        {
          list: (page) => hide(coupons.listGenerated(db, { ...search, ...page })),
          count: () => coupons.countGenerated(db, search),
        },
      );
    return sendList(
      reply,
      { limit, cursor },
      q
        ? {
            list: (page) => hide(coupons.searchCoupons(db, { ...search, ...page })),
            count: () => coupons.countFoundCoupons(db, search),
          }
        : {
            list: (page) => hide(coupons.listCoupons(db, { ...filter, ...page })),
            count: () => getCouponTotal(db, filter),
          },
    );
  });

  handle(createCouponCall, ({ body, caller }) =>
    createCoupon(db, { actor: caller.email, coupon: body }, tools),
  );

  handle(generateCouponCall, async ({ body, caller }) => {
    const issued = await generateCoupon(db, { actor: caller.email, reader: caller, ...body }, tools);
    return isMasked(caller, tools) ? hideFromOthers(db, issued, caller.email) : issued;
  });

  handle(regenerateCouponCall, ({ body, caller }) =>
    regenerateCoupon(db, { actor: caller.email, reader: caller, ...body }, tools),
  );

  handle(revokeCouponCall, async ({ params: { id }, body, caller }) => {
    // Without a replacement, the user is left without a code (N-12).
    if (!body.replace && !hasRole(caller.team_role, REVOKE_ONLY_ROLE)) throw roleTooLow(caller);
    const revoked = await revokeCoupon(db, { id, actor: caller.email, reader: caller, ...body }, tools);
    return isMasked(caller, tools) ? hideRevoked(db, revoked, caller.email) : revoked;
  });

  handle(revealCouponCall, ({ params: { id }, caller }) => revealCoupon(db, { id, caller }, tools));

  handle(voidCouponCall, async ({ params: { id }, body, caller }) => {
    const coupon = await voidCoupon(db, { id, actor: caller.email, ...body }, tools);
    return isMasked(caller, tools) ? hideCode(coupon) : coupon;
  });
}
