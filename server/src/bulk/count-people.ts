// Counts the people of an act before staff confirm it (C-6).
import type { BodyOf, countPeople as countPeopleCall } from '@portal/contract';
import type { Database, Db } from '../db/database.ts';
import type { ReadTools } from '../features/access/read-access.ts';
import { prepareHolders } from '../features/cohorts/change-cohorts.ts';
import { requireCohort } from '../features/cohorts/find-cohort.ts';
import { countSelected, listSelected, type Selection } from '../features/people/user-lists.sql.ts';
import { listNamed } from './people-acts.sql.ts';

/** Either the people of a filter, or those with the addresses. */
type Whom = { filter: Selection | null; emails: readonly string[] | null };

// Counts all people of a search.
const ALL = 10_000_000;
const STEP_PEOPLE = 1_000;

/**
 * Returns the exact number of people, and how many of them are members of the cohort `cohort_id` and hold a code of a
 * product that it gives (R-COHORT-22). The second number is null without `cohort_id`.
 * @throws AppError cohort_not_found.
 */
export async function countPeople(
  db: Database,
  { filter: asked, cohort_id, ...named }: BodyOf<typeof countPeopleCall>,
  { now, dayOf }: ReadTools,
): Promise<{ people: number; holding: number | null }> {
  const filter = asked === undefined ? null : await requireFilter(db, asked);
  const emails = named.emails ?? null;
  const people = await countWhom(db, { filter, emails });
  if (cohort_id === undefined) return { people, holding: null };
  const cohort = await requireCohort(db, cohort_id);
  const count = await prepareHolders(db, cohort.cohort_id, dayOf(now()));
  // Who holds a code of the whole cohort is one statement. Others are looked up step by step, as an act does.
  const { q, role, cohort_id: of } = filter ?? {};
  if (filter !== null && !q && role === undefined && of === cohort.cohort_id)
    return { people, holding: await count() };
  let holding = 0;
  for await (const ids of listIds(db, { filter, emails })) holding += await count(ids);
  return { people, holding };
}

/** Returns the number of the people. Ignores addresses that nobody has. */
export async function countWhom(db: Db, { filter, emails }: Whom): Promise<number> {
  if (emails !== null) return (await listNamed(db, emails)).length;
  return (await countSelected(db, filter ?? {}, ALL)).total;
}

/** Returns the filter with the cohort's id as it is stored. @throws AppError cohort_not_found. */
export async function requireFilter(db: Db, { cohort_id, ...filter }: Selection): Promise<Selection> {
  if (cohort_id === undefined) return filter;
  return { ...filter, cohort_id: (await requireCohort(db, cohort_id)).cohort_id };
}

async function* listIds(db: Db, { filter, emails }: Whom): AsyncGenerator<string[]> {
  if (emails !== null) yield (await listNamed(db, emails)).map(({ id }) => id);
  if (filter === null) return;
  let after: string | undefined;
  for (;;) {
    const page: { id: string; cursor?: string }[] = await listSelected(db, filter, {
      limit: STEP_PEOPLE,
      after,
    });
    yield page.map(({ id }) => id);
    const last = page.at(-1);
    if (page.length < STEP_PEOPLE) return;
    after = last?.cursor ?? last?.id;
  }
}
