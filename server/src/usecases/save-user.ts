// Creates a user, or updates the user who already has the address, at the request of an administrator. Also gives the
// user access to products.
import type { AppUser, SavedUser } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { grantProducts } from '../stores/access.ts';
import { createAuditLine } from '../stores/audit.ts';
import { countProducts } from '../stores/products.ts';
import { upsertUser } from '../stores/users.ts';
import { isUuid } from './is-uuid.ts';

/**
 * Adds access to the given products; access to other products stays. Replaces name and phone number unless the new
 * value is null. Keeps the role.
 * @throws AppError invalid_request if a product does not exist or a new user has no name. Nothing is saved then.
 */
export async function saveUser(
  db: Database,
  { actor, user }: { actor: string; user: SavedUser },
): Promise<AppUser> {
  const product_ids = [...new Set(user.product_ids.map((id) => id.toLowerCase()))];
  return db.transaction(async (tx) => {
    const known = product_ids.every(isUuid) && (await countProducts(tx, product_ids)) === product_ids.length;
    if (!known) throw new AppError('invalid_request', 'product_ids names a product that does not exist');
    const { saved, before } = await upsertUser(tx, user);
    if (before === null && user.name === null) throw new AppError('invalid_request', 'name is required');
    const granted = await grantProducts(tx, { user_id: saved.id, product_ids, granted_by: actor });
    const action = before === null ? 'user.create' : 'user.update';
    await createAuditLine(tx, {
      actor,
      action,
      user_id: saved.id,
      detail: { granted, ...(before && listChanges(before, saved)) },
    });
    return saved;
  });
}

// Returns the changed fields by name, each with its old and new value as [old, new].
function listChanges<T extends object>(before: T, after: T) {
  const fields = Object.keys(before) as (keyof T)[];
  const changed = fields.filter((field) => before[field] !== after[field]);
  return Object.fromEntries(changed.map((field) => [field, [before[field], after[field]]]));
}
