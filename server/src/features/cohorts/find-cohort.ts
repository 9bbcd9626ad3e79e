// Finds the cohort that a call names, and refuses acts on more members than staff have seen.
import { COHORTS_OF_PERSON_MAX, type CohortName } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Db } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { getMemberTotal } from '../dashboard/tally.sql.ts';
import { listFull } from './cohort-members.sql.ts';
import { findCohortName, type LockedCohort, lockCohort } from './cohorts.sql.ts';

export const cohortNotFound = () => new AppError('cohort_not_found', 'Cohort not found');

/** Returns the id and the name of the cohort. @throws AppError cohort_not_found. */
export async function requireCohort(db: Db, cohort_id: string): Promise<CohortName> {
  const cohort = isUuid(cohort_id) ? await findCohortName(db, cohort_id) : null;
  if (cohort === null) throw cohortNotFound();
  return cohort;
}

/**
 * Locks the cohort until the transaction ends, so that other edits of the cohort and of its grants wait. Adding and
 * removing members does not wait, unless the transaction archives the cohort or brings it back.
 * @throws AppError cohort_not_found.
 */
export async function requireLockedCohort(tx: Db, cohort_id: string): Promise<LockedCohort> {
  const cohort = isUuid(cohort_id) ? await lockCohort(tx, cohort_id) : null;
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
 * members now. Fewer are no error (C-6).
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

/** @throws AppError too_many if one of the people, who must be locked, is in the most cohorts already. */
export async function refuseFull(
  db: Db,
  { cohort_id, ids }: { cohort_id: string; ids: readonly string[] },
): Promise<void> {
  const [full] = await listFull(db, { cohort_id, ids });
  if (full !== undefined) {
    const words = `${full.email} is in ${COHORTS_OF_PERSON_MAX} cohorts already, which is the most.`;
    throw new AppError('too_many', words);
  }
}

/** The message for a row of an upload whose person cannot join another cohort. */
export const FULL = `This person is in ${COHORTS_OF_PERSON_MAX} cohorts already, which is the most`;
