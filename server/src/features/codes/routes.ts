// Registers the routes that list, create, issue, revoke and void codes, and the routes for uploads of codes.

import * as calls from '@portal/contract';
import { hasRole, type ListedCoupon, REVOKE_ONLY_ROLE } from '@portal/contract';
import { AppError, roleTooLow } from '../../app-error.ts';
import { setBatchUseBy, voidBatch } from '../../bulk/batch-acts.ts';
import type { UploadTools } from '../../bulk/run-bulk.ts';
import { type Database, isUuid } from '../../db/database.ts';
import type { Page } from '../../db/prefix-search.sql.ts';
import type { Handle } from '../../http/handle.ts';
import { sendList } from '../../http/send-list.ts';
import { getCouponTotal } from '../dashboard/tally.sql.ts';
import * as batches from './batches.sql.ts';
import { listSortedCoupons } from './code-orders.sql.ts';
import * as coupons from './codes.sql.ts';
import { createCoupon, hideCode, hideFromOthers, hideRevoked, isMasked, type Masking } from './codes.ts';
import { confirmCoupon, confirmProduct } from './confirm.ts';
import { generateCoupon, type IssueTools, regenerateCoupon, revokeCoupon } from './issue.ts';
import { revealCoupon } from './reveal.ts';
import { sendCode } from './send-code.ts';
import { voidCoupon } from './void.ts';

export function handleCoupons(
  handle: Handle,
  { db, ...tools }: { db: Database } & IssueTools & Masking,
): void {
  handle(calls.listCoupons, async ({ query: { q, generated, sort, ...query }, caller }, reply) => {
    const { product_id } = query;
    if (product_id !== undefined && !isUuid(product_id)) return [];
    const filter = { ...query, archived: query.archived === 'true', today: tools.dayOf(tools.now()) };
    const masked = isMasked(caller, tools);
    const search = { ...filter, q: q ?? '', isExact: masked };
    const [listRows, count] = generated
      ? [coupons.listGenerated, coupons.countGenerated]
      : q
        ? [coupons.searchCoupons, coupons.countFoundCoupons]
        : [coupons.listCoupons, getCouponTotal];
    const list = async (page: Page): Promise<ListedCoupon[]> => {
      const rows =
        sort !== undefined && product_id !== undefined
          ? await listSortedCoupons(db, { ...filter, product_id, sort, ...page })
          : await listRows(db, { ...search, ...page });
      // Codes are hidden here, not by the schema of the reply, because a list without a limit is streamed without the
      // schema.
      return masked ? rows.map(hideCode) : rows;
    };
    return sendList(reply, query, { list, count: () => count(db, search) });
  });

  handle(calls.createCoupon, ({ body, caller }) =>
    createCoupon(db, { actor: caller.email, coupon: body }, tools),
  );

  handle(calls.generateCoupon, async ({ body, caller }) => {
    const issued = await generateCoupon(db, { actor: caller.email, reader: caller, ...body }, tools);
    return isMasked(caller, tools) ? hideFromOthers(db, issued, caller.email) : issued;
  });

  handle(calls.regenerateCoupon, ({ body, caller }) =>
    regenerateCoupon(db, { actor: caller.email, reader: caller, ...body }, tools),
  );

  handle(calls.issueCode, ({ params: { id }, body, caller }) =>
    sendCode(db, { id, actor: caller.email, reader: caller, ...body }, tools),
  );

  handle(calls.revokeCoupon, async ({ params: { id }, body, caller }) => {
    // Revoking without a replacement needs a higher role, because the user then has no code (N-12).
    if (!body.replace && !hasRole(caller.team_role, REVOKE_ONLY_ROLE)) throw roleTooLow(caller);
    const revoked = await revokeCoupon(db, { id, actor: caller.email, reader: caller, ...body }, tools);
    return isMasked(caller, tools) ? hideRevoked(db, revoked, caller.email) : revoked;
  });

  handle(calls.revealCoupon, ({ params: { id }, caller }) => revealCoupon(db, { id, caller }, tools));

  handle(calls.confirmCoupon, ({ params: { id }, caller }) => confirmCoupon(db, { id, actor: caller.email }));

  handle(calls.confirmProduct, ({ params: { id }, body, caller }) =>
    confirmProduct(db, { product_id: id, actor: caller.email, expected: body?.expected }),
  );

  handle(calls.voidCoupon, async ({ params: { id }, body, caller }) => {
    const coupon = await voidCoupon(db, { id, actor: caller.email, ...body }, tools);
    return isMasked(caller, tools) ? hideCode(coupon) : coupon;
  });
}

export function handleBatches(handle: Handle, { db, ...tools }: { db: Database } & UploadTools): void {
  handle(calls.listBatches, async ({ query: { limit, cursor, offset, product_id } }, reply) => {
    if (product_id !== undefined && !isUuid(product_id)) return [];
    const list = (page: Page) => batches.listBatches(db, { product_id, ...page });
    const count = () => batches.countBatches(db, { product_id });
    return sendList(reply, { limit, cursor, offset }, { list, count });
  });

  handle(calls.getBatch, async ({ params: { id }, caller }) => {
    const batch = await batches.findBatch(db, id, tools.dayOf(tools.now()));
    if (batch === null) throw new AppError('not_found', 'Upload not found');
    const mayReadImport = hasRole(caller.team_role, calls.getImport.role);
    return { ...batch, import_id: mayReadImport ? batch.import_id : null };
  });

  handle(calls.voidBatch, async ({ params: { id }, body, caller }) => ({
    job_id: await voidBatch(db, { id, actor: caller.email, ...body }, tools),
  }));

  handle(calls.setBatchUseBy, async ({ params: { id }, body, caller }) => ({
    job_id: await setBatchUseBy(db, { id, actor: caller.email, ...body }, tools),
  }));
}
