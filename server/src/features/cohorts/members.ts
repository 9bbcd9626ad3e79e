// Finds the cohort that a request names. Adds, removes and moves members of cohorts. Refuses actions on more members
// than staff have seen.
import { randomUUID } from 'node:crypto';
import { COHORTS_OF_PERSON_MAX, type CohortName } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { getMemberTotal } from '../dashboard/tally.sql.ts';
import { type AuditLine, createAuditLine, setLogGroup } from '../log/audit.sql.ts';
import { createUsers } from '../people/people.sql.ts';
import { judgeAddresses } from '../people/people.ts';
import * as cohorts from './cohorts.sql.ts';

type Order = { cohort_id: string; actor: string; emails: readonly string[] };

/** The audit lines of a group of members. */
const summary_of = ['member'];

/**
 * Adds people to a cohort. Creates people for unknown addresses, without a name. Returns how many people joined,
 * including the created people (N-66), and how many were members before.
 * @throws AppError cohort_not_found; invalid_request if a new person may not have the address; too_many if a person is
 * already in the maximum number of cohorts. If it throws, nobody is added.
 */
export function addMembers(
  db: Database,
  { cohort_id, actor, emails: given }: Order,
): Promise<{ joined: number; already: number; created: number }> {
  return db.transaction(async (tx) => {
    await requireCohort(tx, cohort_id);
    const emails = [...new Set(await judgeAddresses(tx, given))];
    const people = emails.map((email) => ({ email, name: null, phone_number: null, payment_id: null }));
    await setLogGroup(tx, emails.length > 1 ? randomUUID() : null);
    const { created } = await createUsers(tx, people, { actor });
    const ids = await cohorts.lockPeople(tx, emails);
    await refuseFull(tx, { cohort_id, ids });
    const before = await cohorts.listJoinTimes(tx, cohort_id, ids);
    const isGroup = emails.length > 1 && (created > 0 || ids.length - before.size > 1);
    if (!isGroup) await setLogGroup(tx, null);
    const joined = await cohorts.joinCohort(tx, { cohort_id, ids, actor });
    const detail = { count: joined, ...(created > 0 && { created }) };
    const nouns = created > 0 ? ['user', ...summary_of] : summary_of;
    if (isGroup) await endGroup(tx, { actor, action: 'member.add', cohort_id, detail, summary_of: nouns });
    return { joined, already: ids.length - joined, created };
  });
}

/**
 * Removes people from a cohort. Ignores people who are not members (N-66). Removed people keep their codes (R-COHORT-03).
 * `unknown` is the number of addresses that nobody has.
 * @throws AppError cohort_not_found.
 */
export function removeMembers(
  db: Database,
  { cohort_id, actor, emails: given }: Order,
): Promise<{ removed: number; unknown: number }> {
  const emails = [...new Set(given)];
  return db.transaction(async (tx) => {
    await requireCohort(tx, cohort_id);
    const ids = await cohorts.lockPeople(tx, emails);
    const isGroup = await beginGroup(tx, cohort_id, ids);
    const count = await cohorts.leaveCohort(tx, { cohort_id, ids, actor });
    const summary = { actor, action: 'member.remove', cohort_id, detail: { count }, summary_of };
    if (isGroup) await endGroup(tx, summary);
    return { removed: count, unknown: emails.length - ids.length };
  });
}

/**
 * Moves people from the cohort `cohort_id` to the cohort `to` (R-COHORT-05). Ignores people who are not members.
 * @throws AppError cohort_not_found for either cohort; invalid_request if both are the same.
 */
export function moveMembers(
  db: Database,
  { cohort_id, to, actor, emails }: Order & { to: string },
): Promise<{ moved: number }> {
  return db.transaction(async (tx) => {
    const from = await requireCohort(tx, cohort_id);
    const target = await requireTarget(tx, from.cohort_id, to);
    const ids = await cohorts.lockPeople(tx, emails);
    const move = { from, to: target, actor };
    const isGroup = await beginGroup(tx, cohort_id, ids);
    const { moved: count, arrived } = await cohorts.moveMembers(tx, { ...move, ids });
    await cohorts.createArrival(tx, { ...move, count: arrived });
    const detail = { cohort: [from.name, target.name], count };
    if (isGroup) await endGroup(tx, { actor, action: 'member.move', cohort_id, detail, summary_of });
    return { moved: count };
  });
}

/**
 * Begins a group of audit lines if several of the people are members of the cohort (R-DAY-40). The people must be locked.
 * Returns true if the caller must write the summary.
 */
async function beginGroup(tx: Db, cohort_id: string, ids: readonly string[]): Promise<boolean> {
  const isGroup = (await cohorts.listJoinTimes(tx, cohort_id, ids)).size > 1;
  if (isGroup) await setLogGroup(tx, randomUUID());
  return isGroup;
}

/** Writes the summary of the group, and ends the group: the transaction may write other lines. */
async function endGroup(tx: Db, summary: AuditLine): Promise<void> {
  await createAuditLine(tx, summary);
  await setLogGroup(tx, null);
}

export const cohortNotFound = () => new AppError('cohort_not_found', 'Cohort not found');

/** Returns the id and the name of the cohort. @throws AppError cohort_not_found. */
export async function requireCohort(db: Db, cohort_id: string): Promise<CohortName> {
  const cohort = await cohorts.findCohortName(db, cohort_id);
  if (cohort === null) throw cohortNotFound();
  return cohort;
}

/**
 * Locks the cohort until the transaction ends, so that other edits of the cohort and of its grants wait. Adding and
 * removing members waits only if the transaction archives or restores the cohort.
 * @throws AppError cohort_not_found.
 */
export async function requireLockedCohort(tx: Db, cohort_id: string): Promise<cohorts.LockedCohort> {
  const cohort = await cohorts.lockCohort(tx, cohort_id);
  if (cohort === null) throw cohortNotFound();
  return cohort;
}

/** Returns the cohort to which people move from `cohort_id`. @throws AppError cohort_not_found; invalid_request. */
export async function requireTarget(db: Db, cohort_id: string, to: string): Promise<CohortName> {
  const target = await requireCohort(db, to);
  if (target.cohort_id === cohort_id) throw new AppError('invalid_request', 'to must be another cohort');
  return target;
}

/**
 * Compares the number of members with the number `expected` that staff have seen (N-95).
 * @throws AppError invalid_request if `expected` is missing (N-323); count_changed with `count` if the cohort has more
 * members now. Fewer members are no error (C-6).
 */
export async function refuseMoreMembers(
  db: Db,
  cohort_id: string,
  expected: number | undefined,
): Promise<void> {
  if (expected === undefined) throw new AppError('invalid_request', 'expected is required');
  const { total } = await getMemberTotal(db, cohort_id);
  if (total > expected) throw countChanged(total);
}

export function countChanged(count: number): AppError {
  return new AppError('count_changed', `More people than you saw would be changed now: ${count}.`, { count });
}

/**
 * The people must be locked. @throws AppError too_many if one of the people is already in the maximum number of
 * cohorts.
 */
export async function refuseFull(
  db: Db,
  { cohort_id, ids }: { cohort_id: string; ids: readonly string[] },
): Promise<void> {
  const [full] = await cohorts.listFull(db, { cohort_id, ids });
  if (full !== undefined) {
    const words = `${full.email} is in ${COHORTS_OF_PERSON_MAX} cohorts already, which is the most.`;
    throw new AppError('too_many', words);
  }
}

/** The message for a row of an upload whose person cannot join another cohort. */
export const FULL = `This person is in ${COHORTS_OF_PERSON_MAX} cohorts already, which is the most`;
