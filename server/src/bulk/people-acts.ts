// Acts on many people: they join or leave a cohort, move to another, or get products.

import type { BodyOf, countPeople as countPeopleCall, PeopleActState, UserAct } from '@portal/contract';
import type { Clock } from '../day.ts';
import type { Database, Db } from '../db/database.ts';
import { grantAccess } from '../features/access/access.sql.ts';
import { requireProducts, resolveDays } from '../features/access/grants.ts';
import * as members from '../features/cohorts/cohorts.sql.ts';
import { prepareHolders } from '../features/cohorts/cohorts.ts';
import { countChanged, requireCohort, requireTarget } from '../features/cohorts/members.ts';
import { findNewestPerson, listNamed } from '../features/people/people.sql.ts';
import { countSelected, listSelected, type Selection } from '../features/people/search.sql.ts';
import type { BulkJob } from './bulk-jobs.sql.ts';
import { type Bulk, startBulk, type UploadTools, type WorkTools } from './run-bulk.ts';

/**
 * Parameters and progress of an act. Its people are those of `filter` or of `emails`; the other one is null. `to` is the
 * cohort to which they move. `newest` is the id (app_user.id) of the newest person at the start. `after` is the cursor of
 * the last person of the list whom the act has looked at. `full` is the number of people who did not join, because they are in the most cohorts already.
 */
type PeopleActDetail = {
  act: PeopleActState['act'];
  filter: Selection | null;
  emails: string[] | null;
  to: string | null;
  expected: number;
  newest: string;
  after: string | null;
  full: number;
};

type Order = { actor: string; expected: number };

/**
 * Starts an act on all users of a filter, or on those with the addresses (R-IMP-31). Returns the id of the job.
 * @throws AppError cohort_not_found, product_not_found; invalid_request if the last day is before the first;
 * count_changed if there are more users than `expected`.
 */
export function actOnUsers(
  db: Database,
  { actor, order }: { actor: string; order: UserAct },
  tools: UploadTools,
): Promise<string> {
  const { act, expected, filter, emails, product_ids = [], ...rest } = order;
  return start(
    db,
    { actor, expected },
    async (tx) => {
      const isGrant = act === 'grant';
      const days = isGrant ? resolveDays(rest, tools.dayOf(tools.now())) : NO_DAYS;
      return {
        ...days,
        act,
        to: null,
        cohort_id: isGrant ? null : (await requireCohort(tx, rest.cohort_id ?? '')).cohort_id,
        product_ids: isGrant ? await requireProducts(tx, product_ids) : [],
        filter: filter === undefined ? null : await requireFilter(tx, filter),
        emails: emails === undefined ? null : [...new Set(emails)],
      };
    },
    tools,
  );
}

/**
 * Starts an act on all members of a cohort, or on those whom the search `q` finds: they leave it, or move to the cohort
 * `to` (R-COHORT-13). Returns the id of the job.
 * @throws AppError cohort_not_found; invalid_request if both cohorts are the same; count_changed.
 */
export function actOnMembers(
  db: Database,
  {
    cohort_id: id,
    to,
    q,
    ...order
  }: Order & { cohort_id: string; to: string | null; q?: string | undefined },
  tools: UploadTools,
): Promise<string> {
  return start(
    db,
    order,
    async (tx) => {
      const { cohort_id } = await requireCohort(tx, id);
      const target = to === null ? null : await requireTarget(tx, cohort_id, to);
      const act = target === null ? 'leave' : 'move';
      const whom = { filter: { cohort_id, ...(q && { q }) }, emails: null, product_ids: [] };
      return { ...NO_DAYS, ...whom, act, cohort_id, to: target?.cohort_id ?? null };
    },
    tools,
  );
}

const NO_DAYS = { starts_on: null, ends_on: null };

type Planned = Pick<PeopleActDetail, 'act' | 'filter' | 'emails' | 'to'> &
  Pick<PeopleAct, 'cohort_id' | 'product_ids' | 'starts_on' | 'ends_on'>;
type PeopleAct = BulkJob<PeopleActDetail>;

/** Starts the act that `planAct` returns. Returns the id of its job. */
function start(
  db: Database,
  { actor: created_by, expected }: Order,
  planAct: (tx: Db) => Promise<Planned>,
  tools: UploadTools,
): Promise<string> {
  const plan = async (tx: Db) => {
    const { act, filter, emails, to, ...columns } = await planAct(tx);
    const newest = await findNewestPerson(tx);
    const rows_total = await countWhom(tx, { filter, emails });
    if (rows_total > expected) throw countChanged(rows_total);
    const detail = { act, filter, emails, to, expected, newest, after: null, full: 0 };
    return { ...columns, kind: 'act', created_by, rows_total, detail };
  };
  return startBulk<PeopleActDetail>(db, plan, tools);
}

// Number of people in one step. A step locks its people against other acts of staff. Learners who redeem do not wait.
const STEP_PEOPLE = 1_000;

export const PEOPLE_ACT: Bulk<PeopleActDetail> = {
  step: async (tx, act, tools) => {
    const { people, after, ends } = await listNext(tx, act.detail);
    const { changed, full } =
      people.length === 0 ? NOBODY : await ACTS[act.detail.act](tx, act, people, tools);
    // Acts of older versions do not count who could not join.
    return {
      looked: people.length,
      changed,
      ends: ends ? 'done' : null,
      detail: { after, full: (act.detail.full ?? 0) + full },
    };
  },
  report: ({ id, cohort_id, product_ids, created_by: actor, success: changes, detail }) => ({
    changes,
    line: {
      actor,
      action: 'user.act',
      ...(cohort_id !== null && { cohort_id }),
      detail: {
        import_id: id,
        act: detail.act,
        count: changes - detail.audited,
        ...(detail.filter === null ? {} : { filter: detail.filter }),
        ...(product_ids.length > 0 && { product_ids }),
      },
    },
  }),
};

type Person = { id: string; email: string };

/** Returns the next people of the act. */
async function listNext(
  tx: Db,
  { filter, emails, newest, after }: PeopleActDetail,
): Promise<{ people: Person[]; after: string | null; ends: boolean }> {
  if (emails !== null) return { people: await listNamed(tx, emails), after: null, ends: true };
  const page: (Person & { cursor?: string })[] = await listSelected(tx, filter ?? {}, {
    limit: STEP_PEOPLE,
    after: after ?? undefined,
  });
  const last = page.at(-1);
  return {
    // Somebody who was created after the start of the act is not changed.
    people: page.filter(({ id }) => BigInt(id) <= BigInt(newest)),
    after: last === undefined ? after : (last.cursor ?? last.id),
    ends: page.length < STEP_PEOPLE,
  };
}

type Outcome = { changed: number; full: number };
const NOBODY: Outcome = { changed: 0, full: 0 };
const changedOnly = (changed: number): Outcome => ({ changed, full: 0 });

type Act = (
  tx: Db,
  act: PeopleAct,
  people: readonly Person[],
  tools: Pick<WorkTools, 'now' | 'dayOf'>,
) => Promise<Outcome>;

/** Each function changes the people of a step, and returns how many of them were changed, and how many could not join. */
const ACTS: Record<PeopleActDetail['act'], Act> = {
  join: async (tx, act, people) => {
    const { ids, ...by } = await lock(tx, act, people);
    const full = new Set((await members.listFull(tx, { ...by, ids })).map(({ id }) => id));
    const changed = await members.joinCohort(tx, { ...by, ids: ids.filter((id) => !full.has(id)) });
    return { changed, full: full.size };
  },
  leave: async (tx, act, people) => changedOnly(await members.leaveCohort(tx, await lock(tx, act, people))),
  move: async (tx, act, people) => {
    const { cohort_id, ...by } = await lock(tx, act, people);
    const from = await requireCohort(tx, cohort_id);
    const to = await requireTarget(tx, cohort_id, act.detail.to ?? '');
    return changedOnly(await members.moveMembers(tx, { ...by, from, to }));
  },
  grant: async (tx, { id: import_id, created_by: actor, product_ids, starts_on, ends_on }, people, tools) => {
    const today = tools.dayOf(tools.now());
    const emails = people.map(({ email }) => email);
    const days = { starts_on: starts_on ?? today, ends_on, today };
    return changedOnly((await grantAccess(tx, { emails, product_ids, ...days, actor, import_id })).people);
  },
};

/** Locks the people of a step. Returns the parameters of the functions that change members. */
async function lock(
  tx: Db,
  { id: import_id, created_by: actor, cohort_id }: PeopleAct,
  people: readonly Person[],
) {
  const ids = people.map(({ id }) => id);
  await members.lockPeopleById(tx, ids);
  return { cohort_id: cohort_id ?? '', ids, actor, import_id };
}

// Counts the people of an act before staff confirm it (C-6).

/** Either the people of a filter, or those with the addresses. */
type Whom = { filter: Selection | null; emails: readonly string[] | null };

// Counts all people of a search.
const ALL = 10_000_000;

/**
 * Returns the exact number of people, and how many of them are members of the cohort `cohort_id` and hold a code of a
 * product that it gives (R-COHORT-22). The second number is null without `cohort_id`.
 * @throws AppError cohort_not_found.
 */
export async function countPeople(
  db: Database,
  { filter: asked, cohort_id, ...named }: BodyOf<typeof countPeopleCall>,
  { now, dayOf }: Clock,
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
async function countWhom(db: Db, { filter, emails }: Whom): Promise<number> {
  if (emails !== null) return (await listNamed(db, emails)).length;
  return (await countSelected(db, filter ?? {}, ALL)).total;
}

/** Returns the filter with the cohort's id as it is stored. @throws AppError cohort_not_found. */
async function requireFilter(db: Db, { cohort_id, ...filter }: Selection): Promise<Selection> {
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
