// Adds people to a cohort, removes them, and moves them to another, for an administrator.
import type { Database } from '../../db/database.ts';
import { judgeAddresses } from '../people/judge-addresses.ts';
import { createUsers } from '../people/users.sql.ts';
import * as members from './cohort-members.sql.ts';
import { refuseFull, requireCohort, requireTarget } from './find-cohort.ts';

type Named = { cohort_id: string; actor: string; emails: readonly string[] };

/**
 * Adds people to a cohort. Creates those whom the portal does not know, without a name. Returns how many joined,
 * including the created ones (N-66), and how many were members before.
 * @throws AppError cohort_not_found; invalid_request for an address that nobody new may have; too_many if one of them is
 * in the most cohorts already. Then nobody joins.
 */
export function addMembers(
  db: Database,
  { cohort_id, actor, emails: given }: Named,
): Promise<{ joined: number; already: number; created: number }> {
  return db.transaction(async (tx) => {
    await requireCohort(tx, cohort_id);
    const emails = [...new Set(await judgeAddresses(tx, given))];
    const people = emails.map((email) => ({ email, name: null, phone_number: null, payment_id: null }));
    const created = await createUsers(tx, people, { actor });
    const ids = await members.lockPeople(tx, emails);
    await refuseFull(tx, { cohort_id, ids });
    const joined = await members.joinCohort(tx, { cohort_id, ids, actor });
    return { joined, already: ids.length - joined, created };
  });
}

/**
 * Removes people from a cohort. Ignores those who are no members (N-66). Codes that they hold stay theirs (R-COHORT-03).
 * `unknown` is the number of addresses that nobody has.
 * @throws AppError cohort_not_found.
 */
export function removeMembers(
  db: Database,
  { cohort_id, actor, emails: given }: Named,
): Promise<{ removed: number; unknown: number }> {
  const emails = [...new Set(given)];
  return db.transaction(async (tx) => {
    await requireCohort(tx, cohort_id);
    const ids = await members.lockPeople(tx, emails);
    const removed = await members.leaveCohort(tx, { cohort_id, ids, actor });
    return { removed, unknown: emails.length - ids.length };
  });
}

/**
 * Moves people from a cohort to another (R-COHORT-05). Ignores those who are no members.
 * @throws AppError cohort_not_found for either cohort; invalid_request if both are the same.
 */
export function moveMembers(
  db: Database,
  { cohort_id, to, actor, emails }: Named & { to: string },
): Promise<{ moved: number }> {
  return db.transaction(async (tx) => {
    const from = await requireCohort(tx, cohort_id);
    const target = await requireTarget(tx, from.cohort_id, to);
    const ids = await members.lockPeople(tx, emails);
    return { moved: await members.moveMembers(tx, { from, to: target, ids, actor }) };
  });
}
