// Creates and edits cohorts, and sets the days of their grants, for an administrator.
import {
  COHORTS_MAX,
  type Cohort,
  type CohortRecord,
  type EditedCohort,
  type NewCohort,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Clock } from '../../day.ts';
import { type Database, type Db, isUniqueViolation } from '../../db/database.ts';
import { grantAccess } from '../access/access.sql.ts';
import { type Days, listGrants } from '../access/grants.sql.ts';
import { datesChanged, isSameDays, requireProducts, resolveDays, type SeenGrants } from '../access/grants.ts';
import { refuseCodes } from '../codes/codes.ts';
import { createAuditLine, listChanges } from '../log/audit.sql.ts';
import * as cohorts from './cohorts.sql.ts';
import { cohortNotFound, refuseMoreMembers, requireLockedCohort } from './members.ts';

/**
 * Returns a cohort, with the number of members who hold a code of each product, and the free codes (N-94, N-216).
 * @throws AppError cohort_not_found.
 */
export async function readCohort(db: Db, cohort_id: string, today: string): Promise<CohortRecord> {
  const found = await findCohort(db, cohort_id, today);
  const { grants, product_ids } = await listGiven(db, cohort_id, today);
  const holding = await cohorts.countHolding(db, { cohort_id, product_ids });
  const named = grants.flatMap(({ product_id }) => product_id ?? []);
  const free = await cohorts.countFree(db, named, today);
  return {
    ...found,
    holding: holding.get(null) ?? 0,
    grants: grants.map((grant) => ({
      ...grant,
      holding: holding.get(grant.product_id) ?? 0,
      free: free.get(grant.product_id ?? '') ?? null,
    })),
  };
}

/**
 * Returns a function that counts the members who hold a code of a product that the cohort gives. With `ids` (app_user.id),
 * the function counts only these members.
 */
export async function prepareHolders(
  db: Db,
  cohort_id: string,
  today: string,
): Promise<(ids?: readonly string[]) => Promise<number>> {
  const { product_ids } = await listGiven(db, cohort_id, today);
  if (product_ids?.length === 0) return () => Promise.resolve(0);
  return async (ids) =>
    (await cohorts.countHolding(db, { cohort_id, product_ids, user_ids: ids ?? null })).get(null) ?? 0;
}

/**
 * Returns the cohort's grants that are not withdrawn, and the products of these grants. `product_ids` is null if one of
 * these grants gives all products.
 */
async function listGiven(db: Db, cohort_id: string, today: string) {
  const all = await listGrants(db, { cohort_id }, today);
  const grants = all.filter(({ withdrawn_at }) => withdrawn_at === null);
  const named = grants.flatMap(({ product_id }) => (product_id === null ? [] : [product_id]));
  return { grants, product_ids: named.length < grants.length ? null : named };
}

/**
 * Creates a cohort and gives it the products, if there are any (N-66).
 * @throws AppError duplicate_name; too_many if the maximum number of cohorts exists; product_not_found if a product is
 * unknown or archived; invalid_request if the last day is before the first, or the note contains a code.
 */
export function createCohort(
  db: Database,
  { actor, cohort: { name, note, product_ids: given, ...dates } }: { actor: string; cohort: NewCohort },
  { now, dayOf }: Clock,
): Promise<Cohort> {
  return uniquely(() =>
    db.transaction(async (tx) => {
      const today = dayOf(now());
      const days = resolveDays(dates, today);
      const product_ids = await requireProducts(tx, given);
      await refuseCodes(tx, note, null);
      if ((await cohorts.lockCohortCount(tx)) >= COHORTS_MAX)
        throw new AppError('too_many', `There are ${COHORTS_MAX} cohorts already, which is the most.`);
      const cohort_id = await cohorts.createCohort(tx, { name, note }, actor);
      const detail = { name, ...(note !== null && { note }) };
      await createAuditLine(tx, { actor, action: 'cohort.create', cohort_id, detail });
      if (product_ids.length > 0) await grantAccess(tx, { cohort_id, product_ids, ...days, today, actor });
      return findCohort(tx, cohort_id, today);
    }),
  );
}

/**
 * Changes the name and the note of a cohort, archives it, or restores it. If nothing differs, writes nothing.
 * @throws AppError cohort_not_found; edit_conflict if somebody changed the cohort after `version`; duplicate_name;
 * count_changed if the edit archives the cohort and it has more members than `expected`; invalid_request if the note
 * contains a code.
 */
export function editCohort(
  db: Database,
  { cohort_id, actor, ...order }: { cohort_id: string; actor: string; edited: EditedCohort },
  { now, dayOf }: Clock,
): Promise<Cohort> {
  const { version, expected, ...edited } = order.edited;
  return uniquely(() =>
    db.transaction(async (tx) => {
      const at = now();
      const before = await requireLockedCohort(tx, cohort_id);
      if (before.version !== version)
        throw new AppError(
          'edit_conflict',
          'Somebody else changed this cohort meanwhile. Reload to see their version.',
        );
      const isArchiving = edited.archived && !before.archived;
      if (isArchiving) await refuseMoreMembers(tx, cohort_id, expected);
      const { archived, ...detail } = listChanges(edited, { from: before, to: edited });
      const hasNewText = Object.keys(detail).length > 0;
      if ('note' in detail) await refuseCodes(tx, edited.note, null);
      if (hasNewText || archived !== undefined) await cohorts.updateCohort(tx, cohort_id, { ...edited, at });
      if (hasNewText) await createAuditLine(tx, { actor, action: 'cohort.edit', cohort_id, detail });
      if (archived !== undefined) {
        const action = isArchiving ? 'cohort.archive' : 'cohort.unarchive';
        await createAuditLine(tx, { actor, action, cohort_id });
      }
      return findCohort(tx, cohort_id, dayOf(at));
    }),
  );
}

/**
 * Sets the days of all grants of a cohort that are neither withdrawn nor over (N-96). Returns the number of these
 * grants. If all of them already have the new days, writes nothing.
 * @throws AppError cohort_not_found; count_changed if the cohort has more members than `expected`; edit_conflict if one
 * of these grants has other days than in `was`, or is missing in `was`.
 */
export function setCohortDates(
  db: Database,
  order: { cohort_id: string; actor: string; expected: number; was?: SeenGrants | undefined } & Days,
  { now, dayOf }: Clock,
): Promise<{ changed: number }> {
  const { cohort_id, actor, expected, was, ...days } = order;
  return db.transaction(async (tx) => {
    await requireLockedCohort(tx, cohort_id);
    await refuseMoreMembers(tx, cohort_id, expected);
    const dates = { ...days, today: dayOf(now()) };
    if (was !== undefined) {
      const present = await cohorts.lockGrantsAhead(tx, cohort_id, dates.today);
      const isSeen = (grant: SeenGrants[number]) =>
        was.some((seen) => seen.id === grant.id && isSameDays(grant, seen));
      // If all grants have the new days already, the call is a repetition and no conflict.
      if (!present.every(isSeen) && !present.every((grant) => isSameDays(grant, days))) throw datesChanged();
    }
    const { count, product_ids } = await cohorts.setDatesOfCohort(tx, cohort_id, dates);
    if (product_ids.length > 0) {
      const detail = { ...days, product_ids: product_ids.includes(null) ? 'all' : product_ids };
      await createAuditLine(tx, { actor, action: 'cohort.dates', cohort_id, detail });
    }
    return { changed: count };
  });
}

/** Runs `work`, which stores the name of a cohort. @throws AppError duplicate_name if another cohort has this name. */
function uniquely<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    if (!isUniqueViolation(error, 'cohort_name')) throw error;
    throw new AppError('duplicate_name', 'There is a cohort of this name already', { cause: error });
  });
}

async function findCohort(db: Db, cohort_id: string, today: string): Promise<Cohort> {
  const [cohort] = await cohorts.listCohorts(db, { cohort_id }, today);
  if (cohort === undefined) throw cohortNotFound();
  return cohort;
}
