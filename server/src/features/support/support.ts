// Finds people, a code and products for the search field of the staff pages, and returns the pages of a learner as
// data.
import {
  FIND_LEAST,
  FIND_MOST,
  type Found,
  type FoundCode,
  findSuffix,
  hasRole,
  type LearnerView,
  type ViewedTicket,
} from '@portal/contract';
import type { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { beginReading } from '../../db/deployment.sql.ts';
import { findCoupons, listOwnCodes, type OwnCode } from '../codes/codes.sql.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findLookalike } from '../people/addresses.sql.ts';
import { findPerson, listRefused } from '../people/people.sql.ts';
import { requirePerson } from '../people/people.ts';
import { searchBestUsers } from '../people/search.sql.ts';
import { searchProducts } from '../products/products.sql.ts';
import { findOwnProducts, type OwnProduct, readOffer } from '../redeem/my-products.ts';
import {
  accessNotStarted,
  codeRevoked,
  explainStatus,
  noCouponLeft,
  type RedeemTools,
} from '../redeem/redeem.ts';
import type { Member } from '../team/callers.sql.ts';

type Search = { q: string; caller: Pick<Member, 'team_role'>; today: string };

/**
 * Returns the people, the code and the products that match `q`. A viewer gets products only, because viewers may see
 * neither people nor codes. If `q` is shorter than FIND_LEAST characters, returns nothing.
 */
export async function findForStaff(db: Db, { q, caller, today }: Search): Promise<Found> {
  const found: Found = { people: [], code: null, products: [] };
  if (Array.from(q).length < FIND_LEAST) return found;
  found.products = await searchProducts(db, { q, limit: FIND_MOST, today });
  if (!hasRole(caller.team_role, 'support')) return found;
  const users = await searchBestUsers(db, { q, limit: FIND_MOST });
  const ids = users.map(({ id }) => id);
  const refused = await listRefused(db, ids);
  found.people = users.map(({ id, user_id, email, name }) => ({
    ...{ user_id, email, name },
    mails_refused: refused.includes(id),
  }));
  found.code = await findCode(db, q, today);
  return found;
}

/**
 * Finds a code by its whole text only, even for callers who see codes in full. If several people hold the code, `holder`
 * is null, because any of them may be the person that the caller is looking for.
 */
async function findCode(db: Db, q: string, today: string): Promise<FoundCode | null> {
  const found = await findCoupons(db, q, today);
  const lookalike = found.length > 0 ? null : await findLookalike(db, q);
  const [first, second] = lookalike === null ? found : await findCoupons(db, lookalike, today);
  if (!first) return null;
  const { id, coupon_code, product, state, unconfirmed, holder } = first;
  const isHolderUnclear = second?.state === state && second.holder?.user_id !== holder?.user_id;
  return {
    ...{ id, hint: findSuffix(coupon_code), product, state, unconfirmed },
    holder: isHolderUnclear ? null : holder,
  };
}

export type ViewTools = Pick<RedeemTools, 'now' | 'dayOf' | 'supportEmail'>;

/**
 * Returns the products of a person as the person's own list shows them, and for each product the ticket that its page
 * would show. `user_id` is an id or an address. `actor` is the address of the member of the team. Reads in one
 * read-only transaction, then writes the audit line `person.view` (R-TRAIL-40). If the line cannot be written, the
 * call fails, so that nobody views a learner's data without an audit line.
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
  const user = await requirePerson(tx, named, findPerson);
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
    products: owned.map(({ product }) => ({ ...product, coupon_code: null })),
    tickets: Object.fromEntries(tickets),
  };
  return { id: user.id, view };
}

/** Returns the error that redeeming would return to the learner, checked in the order of `redeemCoupon`, or null. */
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
  { id, coupon_code, assigned_at, is_replacement, unconfirmed }: OwnCode,
  dayOf: (at: Date) => string,
): Partial<ViewedTicket> {
  return {
    coupon_id: id,
    hint: findSuffix(coupon_code),
    use_by: product.use_by,
    replaced_on: is_replacement ? dayOf(new Date(assigned_at)) : null,
    unconfirmed,
  };
}
