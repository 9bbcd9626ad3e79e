// Finds whom a call about a person names.
import type { Db } from '../db/database.ts';
import { findIdOfEmail } from '../stores/people.ts';
import { isUuid } from './is-uuid.ts';

/**
 * Returns the `user_id` of the person whom a path names by `user_id` or by address. Returns null if nobody has this
 * address, or if `named` is neither; a `user_id` may be unknown.
 */
export async function findUserId(db: Db, named: string): Promise<string | null> {
  if (named.includes('@')) return findIdOfEmail(db, named.trim().toLowerCase());
  return isUuid(named) ? named : null;
}
