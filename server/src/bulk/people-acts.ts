// Bulk actions on people: people join a cohort, leave a cohort, move to another cohort, or get products.

import type { BodyOf, countPeople as countPeopleCall, PeopleActState, UserAct } from '@portal/contract';
import type { Clock } from '../day.ts';
import type { Database, Db } from '../db/database.ts';
import { grantAccess } from '../features/access/access.sql.ts';
import { requireProducts, resolveDays } from '../features/access/grants.ts';
import * as members from '../features/cohorts/cohorts.sql.ts';
import { prepareHolders } from '../features/cohorts/cohorts.ts';
import { countChanged, requireCohort, requireTarget } from '../features/cohorts/members.ts';
import { hideAddress } from '../features/log/audit.sql.ts';
import { type Notice, notifyPeople } from '../features/people/mails.ts';
import { findNewestPerson, listNamed } from '../features/people/people.sql.ts';
import { countSelected, listSelected, type Selection } from '../features/people/search.sql.ts';
import type { BulkJob } from './bulk-jobs.sql.ts';
import { type Bulk, startBulk, type UploadTools } from './run-bulk.ts';

/**
 * Parameters and progress of a bulk action. `to` is the cohort to which the people move. `newest` is the app_user.id of
 * the newest person at the start of the action. `after` is the cursor of the last person of the list whom the action
 * has processed. `full` is the number of people who did not join, because they are in as many cohorts as a person may
 * be; missing in jobs of older versions. `staff` is the number of members of the team who are left out. `tell` is the
 * language of the mails about new benefits; missing if no mails are sent. `arrived` is the number of people who moved
 * and were no members of `to` before; `arrived_told` of them are in a line member.arrive.
 */
type PeopleActDetail = Whom & {
  act: PeopleActState['act'];
  to: string | null;
  expected: number;
  newest: string;
  after: string | null;
  full?: number;
  arrived?: number;
  arrived_told?: number;
  staff?: number;
  tell?: string | undefined;
};

/** Selects people by `filter` or by the addresses `emails`. The other field is null. */
type Whom = { filter: Selection | null; emails: readonly string[] | null };

type Order = { actor: string; expected: number };

/**
 * Starts a bulk action on all users that a filter selects, or on the users with the given addresses (R-IMP-31). Returns
 * the id of the job.
 * @throws AppError cohort_not_found, product_not_found; invalid_request if the last day is before the first;
 * count_changed if there are more users than `expected`.
 */
export function actOnUsers(
  db: Database,
  { actor, order, language = 'en' }: { actor: string; order: UserAct; language?: string },
  tools: UploadTools,
): Promise<string> {
  const { act, expected, filter, emails, product_ids = [], ...rest } = order;
  const planAct = async (tx: Db) => {
    const isGrant = act === 'grant';
    const days = isGrant ? resolveDays(rest, tools.dayOf(tools.now())) : {};
    const whom = {
      filter: filter === undefined ? null : await requireFilter(tx, filter),
      emails: emails === undefined ? null : [...new Set(emails)],
    };
    return {
      ...{ ...days, act, to: null, tell: rest.tell ? language : undefined },
      ...(rest.staff ? { ...whom, staff: 0 } : await leaveOutStaff(tx, whom)),
      cohort_id: isGrant ? null : (await requireCohort(tx, rest.cohort_id ?? '')).cohort_id,
      product_ids: isGrant ? await requireProducts(tx, product_ids) : [],
    };
  };
  return start(db, { actor, expected }, planAct, tools);
}

/**
 * Starts a bulk action on all members of a cohort, or on the members whom the search `q` finds. The members move to the
 * cohort `to`; if `to` is null, the members leave the cohort (R-COHORT-13). Returns the id of the job.
 * @throws AppError cohort_not_found; invalid_request if both cohorts are the same; count_changed.
 */
export function actOnMembers(
  db: Database,
  order: Order & { cohort_id: string; to: string | null; q?: string | undefined },
  tools: UploadTools,
): Promise<string> {
  const planAct = async (tx: Db): Promise<Planned> => {
    const { to, q } = order;
    const { cohort_id } = await requireCohort(tx, order.cohort_id);
    const target = to === null ? null : await requireTarget(tx, cohort_id, to);
    const act = target === null ? 'leave' : 'move';
    const filter = { cohort_id, ...(q && { q }) };
    return { filter, emails: null, act, cohort_id, to: target?.cohort_id ?? null };
  };
  return start(db, order, planAct, tools);
}

type Planned = Whom &
  Pick<PeopleActDetail, 'act' | 'to' | 'staff' | 'tell'> &
  Partial<Pick<PeopleAct, 'cohort_id' | 'product_ids' | 'starts_on' | 'ends_on'>>;
type PeopleAct = BulkJob<PeopleActDetail>;

function start(
  db: Database,
  { actor: created_by, expected }: Order,
  planAct: (tx: Db) => Promise<Planned>,
  tools: UploadTools,
): Promise<string> {
  const plan = async (tx: Db) => {
    const { act, filter, emails, to, staff, tell, ...columns } = await planAct(tx);
    const newest = await findNewestPerson(tx);
    const rows_total = await countWhom(tx, { filter, emails });
    if (rows_total > expected) throw countChanged(rows_total);
    const detail = { act, filter, emails, to, staff, tell, expected, newest, after: null, full: 0 };
    return { ...columns, kind: 'act', created_by, rows_total, detail };
  };
  return startBulk<PeopleActDetail>(db, plan, tools);
}

// Number of people in one step. A step locks its people: other actions of staff wait, but learners who redeem do not.
const STEP_PEOPLE = 1_000;

export const PEOPLE_ACT: Bulk<PeopleActDetail> = {
  step: async (tx, act, tools) => {
    const { people: all, after, ends } = await listNext(tx, act.detail, act.detail.after);
    // A person who was created after the start of the job is not changed.
    const isOlder = ({ id }: Person) => BigInt(id) <= BigInt(act.detail.newest);
    const people = act.detail.emails === null ? all.filter(isOlder) : all;
    const {
      changed,
      full = 0,
      arrived = 0,
    }: Changed = people.length === 0 ? { changed: 0 } : await ACTS[act.detail.act](tx, act, people, tools);
    const sum = { full: (act.detail.full ?? 0) + full, arrived: (act.detail.arrived ?? 0) + arrived };
    const detail = { after, ...sum };
    return { looked: people.length, changed, ends: ends ? 'done' : null, detail };
  },
  // A move writes two lines also for one person: one about each cohort.
  isSingle: ({ rows_total, detail: { act } }) => rows_total === 1 && act !== 'move',
  report: async ({ id, cohort_id, product_ids, created_by: actor, success: changes, detail }, tx) => {
    const { act, filter, audited = 0, arrived = 0, arrived_told = 0 } = detail;
    const count = changes - audited;
    const move = act === 'move' ? await findMove(tx, cohort_id ?? '', detail.to ?? '') : null;
    const by = { actor, import_id: id };
    if (move !== null) await members.createArrival(tx, { ...by, ...move, count: arrived - arrived_told });
    return {
      changes,
      told: { arrived_told: arrived },
      // The line of the person says the same as a summary of one person.
      needsGroup: count === 1,
      line: {
        actor,
        action: 'user.act',
        cohort_id,
        detail: {
          import_id: id,
          ...{ act, count },
          ...(filter === null ? {} : { filter: hideAddress(filter) }),
          ...(product_ids.length > 0 && { product_ids }),
          ...(move !== null && { cohort: [move.from.name, move.to.name] }),
        },
        summary_of: [act === 'grant' ? 'grant' : 'member', ...(detail.tell === undefined ? [] : ['mail'])],
      },
    };
  },
};

async function findMove(db: Db, cohort_id: string, to: string) {
  return { from: await requireCohort(db, cohort_id), to: await requireCohort(db, to) };
}

type Person = { id: string; email: string };

/**
 * Returns the next people, and the cursor of the last of them. `ends` is true if no people follow. People with given
 * addresses are all returned at once.
 */
async function listNext(
  db: Db,
  { filter, emails }: Whom,
  after: string | null,
): Promise<{ people: Person[]; after: string | null; ends: boolean }> {
  if (emails !== null) return { people: await listNamed(db, emails), after: null, ends: true };
  const page = { limit: STEP_PEOPLE, after: after ?? undefined };
  const people: (Person & { cursor?: string })[] = await listSelected(db, filter ?? {}, page);
  const last = people.at(-1);
  return {
    people,
    after: last === undefined ? after : (last.cursor ?? last.id),
    ends: people.length < STEP_PEOPLE,
  };
}

/** `full` is the number of people who could not join, `arrived` that of people who moved to a cohort new to them. */
type Changed = { changed: number; full?: number; arrived?: number };
type Act = (tx: Db, act: PeopleAct, people: readonly Person[], clock: Clock) => Promise<Changed>;

/** Each function changes the people of a step. */
const ACTS: Record<PeopleActDetail['act'], Act> = {
  join: async (tx, act, people, clock) => {
    const { ids, ...by } = await lock(tx, act, people);
    const full = new Set((await members.listFull(tx, { ...by, ids })).map(({ id }) => id));
    const today = clock.dayOf(clock.now());
    const emails = people.flatMap(({ id, email }) => (full.has(id) ? [] : email));
    const access = { emails, product_ids: [], cohort_ids: [by.cohort_id], starts_on: today, today };
    await notifyPeople(tx, access, noticeOf(act, clock));
    const changed = await members.joinCohort(tx, { ...by, ids: ids.filter((id) => !full.has(id)) });
    return { changed, full: full.size };
  },
  leave: async (tx, act, people) => ({ changed: await members.leaveCohort(tx, await lock(tx, act, people)) }),
  move: async (tx, act, people) => {
    const { cohort_id, ...by } = await lock(tx, act, people);
    const from = await requireCohort(tx, cohort_id);
    const to = await requireTarget(tx, cohort_id, act.detail.to ?? '');
    const { moved: changed, arrived } = await members.moveMembers(tx, { ...by, from, to });
    return { changed, arrived };
  },
  grant: async (tx, act, people, clock) => {
    const { id: import_id, created_by: actor, product_ids } = act;
    const today = clock.dayOf(clock.now());
    // Afterwards, the addresses of people who were erased meanwhile find nobody.
    await lock(tx, act, people);
    const emails = people.map(({ email }) => email);
    const days = { starts_on: act.starts_on ?? today, ends_on: act.ends_on, today };
    await notifyPeople(tx, { emails, product_ids, cohort_ids: [], ...days }, noticeOf(act, clock));
    return { changed: (await grantAccess(tx, { emails, product_ids, ...days, actor, import_id })).people };
  },
};

/** Without `tell`, staff may tell the people later (`tellPeople`). The language of held notices is set then. */
function noticeOf({ id: import_id, created_by: actor, detail: { tell } }: PeopleAct, { now }: Clock): Notice {
  return { actor, import_id, language: tell ?? 'en', now: now(), isHeld: tell === undefined };
}

/** Locks the people of a step. Returns parameters for the functions of `members`. */
async function lock(
  tx: Db,
  { id: import_id, created_by: actor, cohort_id }: PeopleAct,
  people: readonly Person[],
) {
  const ids = await members.lockPeopleById(
    tx,
    people.map(({ id }) => id),
  );
  return { cohort_id: cohort_id ?? '', ids, actor, import_id };
}

/** `countSelected` counts exactly up to this number. This number is larger than the number of people in any portal. */
const ALL = 10_000_000;

/**
 * Counts the people of a bulk action before staff confirm it (C-6). `people` is the exact number. `holding` counts the
 * people who are members of the cohort `cohort_id` and hold a code of a product that the cohort gives (R-COHORT-22).
 * `holding` is null without `cohort_id`. `staff` is the number of members of the team among the people.
 * @throws AppError cohort_not_found.
 */
export async function countPeople(
  db: Database,
  { filter: asked, cohort_id, ...named }: BodyOf<typeof countPeopleCall>,
  { now, dayOf }: Clock,
): Promise<{ people: number; holding: number | null; staff: number }> {
  const filter = asked === undefined ? null : await requireFilter(db, asked);
  const whom: Whom = { filter, emails: named.emails ?? null };
  const people = await countWhom(db, whom);
  const { staff } = await leaveOutStaff(db, whom);
  if (cohort_id === undefined) return { people, holding: null, staff };
  const cohort = await requireCohort(db, cohort_id);
  const count = await prepareHolders(db, cohort.cohort_id, dayOf(now()));
  // If the filter selects all members of the cohort, one statement counts them. Other people are counted in steps.
  const { q, role, cohort_id: of } = filter ?? {};
  if (filter !== null && !q && role === undefined && of === cohort.cohort_id)
    return { people, holding: await count(), staff };
  let holding = 0;
  let page: { after: string | null; ends: boolean } = { after: null, ends: false };
  while (!page.ends) {
    const next = await listNext(db, whom, page.after);
    holding += await count(next.people.map(({ id }) => id));
    page = next;
  }
  return { people, holding, staff };
}

/** Returns the people without members of the team, whose number is `staff` (N-215). */
async function leaveOutStaff(db: Db, { filter, emails }: Whom): Promise<Whom & { staff: number }> {
  if (emails !== null) {
    const named = await listNamed(db, emails);
    const learners = named.filter(({ user_role }) => user_role === 'user').map(({ email }) => email);
    return { filter: null, emails: learners, staff: named.length - learners.length };
  }
  if (filter?.role === 'user') return { filter, emails, staff: 0 };
  const staff = await countWhom(db, { filter: { ...filter, role: 'admin' }, emails });
  if (filter?.role === 'admin') return { filter: null, emails: [], staff };
  return { filter: { ...filter, role: 'user' }, emails, staff };
}

/** Returns the number of the people. Ignores addresses that nobody has. */
async function countWhom(db: Db, { filter, emails }: Whom): Promise<number> {
  if (emails !== null) return (await listNamed(db, emails)).length;
  return (await countSelected(db, filter ?? {}, ALL)).total;
}

/** Returns the filter with the cohort's id in its stored form. @throws AppError cohort_not_found. */
async function requireFilter(db: Db, { cohort_id, ...filter }: Selection): Promise<Selection> {
  if (cohort_id === undefined) return filter;
  return { ...filter, cohort_id: (await requireCohort(db, cohort_id)).cohort_id };
}
