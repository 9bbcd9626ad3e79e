// Finds whom a call about a person names.
import { AppError } from '../../app-error.ts';
import type { Db } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { findIdOfEmail, findPerson, lockPerson, type Person } from './people.sql.ts';

/** Returns the person. `named` is a `user_id` or an address. @throws AppError user_not_found. */
export function requirePerson(db: Db, named: string): Promise<Person> {
  return requireBy(db, named, findPerson);
}

/** Does the same as `requirePerson`, and locks the person until the transaction ends. */
export function requireLockedPerson(tx: Db, named: string): Promise<Person> {
  return requireBy(tx, named, lockPerson);
}

async function requireBy(db: Db, named: string, find: typeof findPerson): Promise<Person> {
  const user_id = await findUserId(db, named);
  const person = user_id === null ? null : await find(db, user_id);
  if (person === null) throw new AppError('user_not_found', 'User not found');
  return person;
}

/** Returns the `user_id`, or null if nobody has the address, or if `named` is neither; a `user_id` may be unknown. */
export async function findUserId(db: Db, named: string): Promise<string | null> {
  if (named.includes('@')) return findIdOfEmail(db, named.trim().toLowerCase());
  return isUuid(named) ? named : null;
}
