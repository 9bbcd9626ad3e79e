// Finds people, a code and products for the search field in the header of the staff pages.
import { FIND_LEAST, FIND_MOST, type Found, type FoundCode, findHint, hasRole } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { findCoupons } from '../codes/codes.sql.ts';
import { findLookalike } from '../people/addresses.sql.ts';
import { listRefused } from '../people/people.sql.ts';
import { searchUsers } from '../people/search.sql.ts';
import { searchProducts } from '../products/products.sql.ts';
import type { Member } from '../team/callers.sql.ts';

type Search = { q: string; caller: Pick<Member, 'team_role'>; today: string };

/**
 * Returns what the text `q` finds. A viewer, who sees neither people nor codes, gets products only. A text that is too
 * short finds nothing.
 */
export async function findForStaff(db: Db, { q, caller, today }: Search): Promise<Found> {
  const found: Found = { people: [], code: null, products: [] };
  if (Array.from(q).length < FIND_LEAST) return found;
  found.products = await searchProducts(db, { q, limit: FIND_MOST, today });
  if (!hasRole(caller.team_role, 'support')) return found;
  const users = await searchUsers(db, { q, limit: FIND_MOST });
  const refused = await listRefused(
    db,
    users.map(({ id }) => id),
  );
  found.people = users.map(({ id, user_id, email, name }) => ({
    ...{ user_id, email, name },
    mails_refused: refused.includes(id),
  }));
  found.code = await findCode(db, q, today);
  return found;
}

/**
 * Finds a code by its whole text only, also for callers who see codes in full. If several people hold the code, returns
 * no holder, because none of them is the one that is searched for.
 */
async function findCode(db: Db, q: string, today: string): Promise<FoundCode | null> {
  const found = await findCoupons(db, q, today);
  const lookalike = found.length > 0 ? null : await findLookalike(db, q);
  const [first, second] = lookalike === null ? found : await findCoupons(db, lookalike, today);
  if (!first) return null;
  const { id, coupon_code, product, state, holder } = first;
  const isHolderUnclear = second?.state === state && second.holder?.user_id !== holder?.user_id;
  return { id, hint: findHint(coupon_code), product, state, holder: isHolderUnclear ? null : holder };
}
