// Creates a user, or updates the user who already has the address, at the request of an administrator. Also gives the
// user access to products.
import type { AppUser, SavedUser } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database } from '../../db/database.ts';
import { grantAccess } from '../access/access.sql.ts';
import { requireProducts, unknownProduct } from '../access/require-products.ts';
import { resolveDays } from '../access/resolve-days.ts';
import { joinCohort } from '../cohorts/cohort-members.sql.ts';
import { refuseFull, requireCohort } from '../cohorts/find-cohort.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { listChanges } from '../log/list-changes.ts';
import { judgeAddress } from './judge-addresses.ts';
import { type Telling, tellPeople } from './ready-mail.ts';
import { upsertUser } from './users.sql.ts';

/**
 * Creates or updates the user. Gives the user access to the products, from `today` on unless `user` names other days,
 * and adds the user to the cohorts. With `telling`, the portal tells the user by mail. Takes no access away. Replaces
 * name and phone number unless they are null. Keeps the role. With `keepsMembers`, leaves name and phone
 * number of a member of the team: only owners change them (R-TEAM-43, N-320).
 * @throws AppError invalid_request if a product does not exist, or a new user has no name or no valid address (R-MAP-03);
 * product_not_found if a product
 * is archived; cohort_not_found; too_many if the user would be in too many cohorts. Then nothing is saved.
 */
export async function saveUser(
  db: Database,
  {
    actor,
    user,
    today,
    telling,
    keepsMembers = false,
  }: {
    actor: string;
    user: SavedUser;
    today: string;
    telling?: Pick<Telling, 'language' | 'now'> | undefined;
    keepsMembers?: boolean;
  },
): Promise<AppUser> {
  const days = resolveDays(user, today);
  return db.transaction(async (tx) => {
    const product_ids = await requireProducts(tx, user.product_ids, unknownProduct());
    const cohort_ids: string[] = [];
    for (const id of new Set(user.cohort_ids)) cohort_ids.push((await requireCohort(tx, id)).cohort_id);
    const email = await judgeAddress(tx, user.email);
    const { saved, before } = await upsertUser(tx, { ...user, email }, { keepsMembers });
    if (before === null && user.name === null) throw new AppError('invalid_request', 'name is required');
    if (telling) {
      const access = { emails: [saved.email], product_ids, cohort_ids, starts_on: days.starts_on, today };
      await tellPeople(tx, access, { ...telling, actor, import_id: null });
    }
    for (const cohort_id of cohort_ids) {
      await refuseFull(tx, { cohort_id, ids: [saved.id] });
      await joinCohort(tx, { cohort_id, ids: [saved.id], actor });
    }
    const { product_ids: granted } = await grantAccess(tx, {
      emails: [saved.email],
      product_ids,
      ...days,
      today,
      actor,
    });
    const action = before === null ? 'user.create' : 'user.update';
    await createAuditLine(tx, {
      actor,
      action,
      user_id: saved.id,
      detail: { granted, ...(before && listChanges(before, { from: before, to: saved })) },
    });
    return saved;
  });
}
