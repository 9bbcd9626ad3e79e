// Returns to a member of the team what a learner sees. Changes nothing and assigns no code; only the log tells of it.
import { findHint, type LearnerView, type ViewedTicket } from '@portal/contract';
import type { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { beginReading } from '../../db/deployment.sql.ts';
import { listOwnCodes, type OwnCode } from '../codes/codes.sql.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { requirePerson } from '../people/people.ts';
import { findOwnProducts, type OwnProduct, readOffer } from '../redeem/my-products.ts';
import type { RedeemTools } from '../redeem/redeem.ts';
import { accessNotStarted, codeRevoked, explainStatus, noCouponLeft } from '../redeem/redeem.ts';

export type ViewTools = Pick<RedeemTools, 'now' | 'dayOf' | 'supportEmail'>;

/**
 * Returns the products of the person `user_id`, an id or an address, as the person lists them, and the ticket of each
 * product as the page of the product would show it. `actor` is the address of the member of the team. All is read in
 * one read-only transaction. Then one line of the log is written, `person.view` (R-TRAIL-40). If it cannot be written,
 * the call fails, so that nobody reads about a learner unnoticed.
 * @throws AppError user_not_found.
 */
export async function viewAsLearner(
  db: Database,
  { user_id, actor }: { user_id: string; actor: string },
  tools: ViewTools,
): Promise<LearnerView> {
  const read = await db.transaction((tx) => readView(tx, user_id, tools));
  await createAuditLine(db, { actor, action: 'person.view', user_id: read.id });
  return read.view;
}

async function readView(
  tx: Db,
  named: string,
  { now, dayOf, supportEmail }: ViewTools,
): Promise<{ id: string; view: LearnerView }> {
  await beginReading(tx);
  const user = await requirePerson(tx, named);
  const today = dayOf(now());
  const owned = (await findOwnProducts(tx, { user_id: user.id }, await readOffer(tx, today))) ?? [];
  const codes = new Map((await listOwnCodes(tx, user.id)).map((code) => [code.product_id, code]));
  const tickets = owned.map((own): [string, ViewedTicket] => {
    const code = codes.get(own.product.product_id);
    const refusal = explainRefusal(own, { today, supportEmail });
    return [
      own.product.product_id,
      { state: own.product.state, ...describeRefusal(refusal), ...(code && describeCode(own, code, dayOf)) },
    ];
  });
  const view: LearnerView = {
    person: { user_id: user.user_id, email: user.email, name: user.name },
    products: owned.map(({ product }) => product),
    tickets: Object.fromEntries(tickets),
  };
  return { id: user.id, view };
}

/** Returns the refusal that the learner would get by redeeming, in the order of `redeemCoupon`. Null without one. */
function explainRefusal(
  { product: { state }, status, opens_on, starts_on }: OwnProduct,
  { today, supportEmail }: { today: string; supportEmail: string },
): AppError | null {
  if (state === 'issued') return null;
  if (state === 'revoked') return codeRevoked(supportEmail);
  if (starts_on !== null && starts_on > today) return accessNotStarted(starts_on);
  return explainStatus({ status, opens_on }) ?? (state === 'sold_out' ? noCouponLeft(supportEmail) : null);
}

function describeRefusal(refusal: AppError | null): Partial<ViewedTicket> {
  if (refusal === null) return {};
  const { code, title, message, day } = refusal;
  return { refusal: code, title, message, day };
}

function describeCode(
  { product }: OwnProduct,
  { id, coupon_code, assigned_at, is_replacement }: OwnCode,
  dayOf: (at: Date) => string,
): Partial<ViewedTicket> {
  return {
    coupon_id: id,
    hint: findHint(coupon_code),
    use_by: product.use_by,
    replaced_on: is_replacement ? dayOf(new Date(assigned_at)) : null,
  };
}
