// Reads and changes cohorts: their names, their grants and their members.
//
// Each change of members first locks the people in the order of their ids (`lockPeople`). So concurrent changes of the
// same people run one after the other, even in different cohorts, and cannot deadlock.
import { COHORTS_OF_PERSON_MAX, type Cohort, type CohortName, type CohortProgress } from '@portal/contract';
import { asUuid, type Db } from '../../db/database.ts';
import type { Days, GivenProducts } from '../access/grants.sql.ts';
import { createAuditLine, originOf } from '../log/audit.sql.ts';
import { findStoredEmails } from '../people/addresses.sql.ts';

// Key of the advisory lock of `lockCohortCount`. The number is arbitrary, but must be the same in all processes.
const CREATE_LOCK = 7_346_202;

export type CohortText = { name: string; note: string | null };
export type LockedCohort = CohortText & { archived: boolean; version: number };

/**
 * Returns the cohort with the id `cohort_id`, or either the archived cohorts or all others, newest first (R-COHORT-10).
 * Each cohort has its grants that are not withdrawn, newest first. Runs two statements for any number of cohorts.
 */
export async function listCohorts(
  db: Db,
  which: { cohort_id: string } | { archived: boolean },
  today: string,
): Promise<Cohort[]> {
  const { rows } = await db.query<Omit<Cohort, 'grants'>>(
    `select o.cohort_id, o.name, o.note, o.archived_at is not null as archived, o.version,
       coalesce(f.n, 0)::int as members
     from cohort o left join (
       select cohort_id, sum(n) as n from tally_now where what = 'member' group by cohort_id
     ) f on f.cohort_id = o.cohort_id
     where o.cohort_id = $1 or (o.archived_at is not null) = $2 order by o.created_at desc, o.cohort_id`,
    'cohort_id' in which ? [asUuid(which.cohort_id), null] : [null, which.archived],
  );
  const grants = await db.query<Cohort['grants'][number] & { cohort_id: string }>(
    `select g.id, g.cohort_id, g.product_id, p.name as product_name, g.starts_on, g.ends_on,
       grant_state(g.withdrawn_at, g.cohort_archived, g.starts_on, g.ends_on, $2) as state
     from access_grant g left join product p on p.product_id = g.product_id
     where g.cohort_id = any($1::uuid[]) and g.withdrawn_at is null order by g.id desc`,
    [rows.map(({ cohort_id }) => cohort_id), today],
  );
  const byCohort = Map.groupBy(grants.rows, ({ cohort_id }) => cohort_id);
  return rows.map((row) => ({ ...row, grants: byCohort.get(row.cohort_id) ?? [] }));
}

/** Returns the name and the id of the cohort, or null if the cohort does not exist. */
export async function findCohortName(db: Db, cohort_id: string): Promise<CohortName | null> {
  const statement = 'select cohort_id, name from cohort where cohort_id = $1';
  const { rows } = await db.query<CohortName>(statement, [asUuid(cohort_id)]);
  return rows[0] ?? null;
}

/** Locks the cohort against other edits until the transaction ends. Returns null if the cohort does not exist. */
export async function lockCohort(db: Db, cohort_id: string): Promise<LockedCohort | null> {
  const { rows } = await db.query<LockedCohort>(
    `select name, note, archived_at is not null as archived, version from cohort where cohort_id = $1
     for no key update`,
    [asUuid(cohort_id)],
  );
  return rows[0] ?? null;
}

/** Returns the number of all cohorts. Other transactions that call this function wait until this transaction ends. */
export async function lockCohortCount(db: Db): Promise<number> {
  await db.query('select pg_advisory_xact_lock($1)', [CREATE_LOCK]);
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from cohort');
  return rows[0]?.count ?? 0;
}

/** Creates a cohort and returns its id. @throws a unique violation of cohort_name if the name is taken. */
export async function createCohort(db: Db, { name, note }: CohortText, created_by: string): Promise<string> {
  const { rows } = await db.query<{ cohort_id: string }>(
    'insert into cohort (name, note, created_by) values ($1, $2, $3) returning cohort_id',
    [name, note, created_by],
  );
  return rows[0]?.cohort_id ?? '';
}

/**
 * Stores the fields of a cohort, and raises its version. An archived cohort keeps the time at which it was archived.
 * @throws a unique violation of cohort_name if the name is taken.
 */
export async function updateCohort(
  db: Db,
  cohort_id: string,
  { name, note, archived, at }: CohortText & { archived: boolean; at: Date },
): Promise<void> {
  await db.query(
    `update cohort set name = $2, note = $3, archived_at = case when $4 then coalesce(archived_at, $5) end,
       version = version + 1
     where cohort_id = $1`,
    [cohort_id, name, note, archived, at],
  );
}

/** Locks the cohort's grants that are neither withdrawn nor over on the day `today`, and returns their days. */
export async function lockGrantsAhead(
  db: Db,
  cohort_id: string,
  today: string,
): Promise<({ id: string } & Days)[]> {
  const { rows } = await db.query<{ id: string } & Days>(
    `select id, starts_on, ends_on from access_grant
     where cohort_id = $1 and withdrawn_at is null and (ends_on is null or ends_on >= $2::date)
     order by id for no key update`,
    [cohort_id, today],
  );
  return rows;
}

/**
 * Sets the days of the cohort's grants that are neither withdrawn nor over on the day `today` (N-96). Returns the
 * number of these grants, and the products of the grants whose days changed; null stands for all products.
 */
export async function setDatesOfCohort(
  db: Db,
  cohort_id: string,
  { starts_on, ends_on, today }: Days & { today: string },
): Promise<{ count: number; product_ids: GivenProducts }> {
  const { rows } = await db.query<{ count: number; product_ids: GivenProducts }>(
    `with standing as (
       select id, (starts_on, ends_on) is distinct from ($2::date, $3::date) as differs from access_grant
       where cohort_id = $1 and withdrawn_at is null and (ends_on is null or ends_on >= $4::date)
       order by id for no key update
     ), changed as (
       update access_grant g set starts_on = $2, ends_on = $3 from standing
       where g.id = standing.id and standing.differs returning g.product_id
     )
     select (select count(*)::int from standing) as count,
       (select coalesce(array_agg(product_id), '{}') from changed) as product_ids`,
    [cohort_id, starts_on, ends_on, today],
  );
  return rows[0] ?? { count: 0, product_ids: [] };
}

/**
 * Returns for each product how many members of the cohort hold a code of it. The key null has the number of members
 * who hold a code of any of the products. `product_ids` null stands for all products. With `user_ids`, counts only
 * these members (app_user.id). Reads only current codes. This is enough, because a current code is revoked only if all
 * codes of the person and product are revoked (N-46). A person has at most one current code of a product. So the
 * statement for all members need not sort them, which took a second for 300,000 people.
 */
export async function countHolding(
  db: Db,
  order: { cohort_id: string; product_ids: readonly string[] | null; user_ids?: readonly string[] | null },
): Promise<Map<string | null, number>> {
  const { cohort_id, product_ids, user_ids = null } = order;
  type Row = { product_id: string | null; count: number };
  const { rows } =
    user_ids === null
      ? await db.query<Row>(
          `select c.product_id, count(*)::int as count
           from cohort_member m join coupon c on c.holder = m.user_id and c.is_current
           where m.cohort_id = $1 and c.revoked_at is null and ($2::uuid[] is null or c.product_id = any($2))
           group by c.product_id
           union all
           select null, count(*)::int from cohort_member m
           where m.cohort_id = $1 and exists (
             select from coupon c where c.holder = m.user_id and c.is_current and c.revoked_at is null
               and ($2::uuid[] is null or c.product_id = any($2)))`,
          [cohort_id, product_ids],
        )
      : await db.query<Row>(
          `select c.product_id, count(distinct c.holder)::int as count
           from cohort_member m join coupon c on c.holder = m.user_id and c.is_current
           where m.cohort_id = $1 and c.revoked_at is null and ($2::uuid[] is null or c.product_id = any($2))
             and m.user_id = any($3::bigint[])
           group by grouping sets ((c.product_id), ())`,
          [cohort_id, product_ids, user_ids],
        );
  return new Map(rows.map(({ product_id, count }) => [product_id, count]));
}

/**
 * Returns the number of free codes of each of the products that learners can still get on the day `today`. Omits products
 * with a shared code.
 */
export async function countFree(
  db: Db,
  product_ids: readonly string[],
  today: string,
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ product_id: string; free: number }>(
    `select p.product_id, coalesce(n.free, 0) as free
     from product p left join code_counts($2) n on n.product_id = p.product_id
     where p.product_id = any($1::uuid[]) and not p.shared_coupon`,
    [product_ids, today],
  );
  return new Map(rows.map(({ product_id, free }) => [product_id, free]));
}

/** The actor of a change of members. `import_id` is the upload or job that makes the change, if any. */
type MemberActor = { actor: string; import_id?: string | undefined };
type Members = { cohort_id: string; ids: readonly string[] };

// Parameters $2 to $7 of the statements that change members: the actor, the origin, and the id of the upload or job.
const paramsOf = ({ actor, import_id }: MemberActor) => [actor, ...originOf(actor), import_id ?? null];

/** Locks the people with these addresses, and returns their ids (app_user.id). Ignores unknown addresses. */
export async function lockPeople(db: Db, emails: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from app_user where email = any($1::text[]) order by id for no key update',
    [[...(await findStoredEmails(db, emails)).values()]],
  );
  return rows.map(({ id }) => id);
}

/** Does the same as `lockPeople` for people whose ids are known. Leaves out people who were erased meanwhile. */
export async function lockPeopleById(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from app_user where id = any($1::bigint[]) and erased_at is null order by id for no key update',
    [ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns those of the people who cannot join the cohort, because they are already in the maximum number of cohorts.
 * The people must be locked.
 */
export async function listFull(
  db: Db,
  { cohort_id, ids }: Members,
): Promise<{ id: string; email: string }[]> {
  const { rows } = await db.query<{ id: string; email: string }>(
    `select u.id, u.email from (
       select user_id from cohort_member where user_id = any($2::bigint[]) group by user_id
       having count(*) >= $3 and not bool_or(cohort_id = $1)
     ) full_ones join app_user u on u.id = full_ones.user_id order by u.id`,
    [cohort_id, ids, COHORTS_OF_PERSON_MAX],
  );
  return rows;
}

/**
 * Adds people to a cohort, with an audit line for each person who joins. For people who are members already, records in
 * cohort_member_source that the membership was given again. The membership then stays if the upload that first gave the
 * membership is undone. The people must be locked. Returns the number of people who joined.
 */
export async function joinCohort(db: Db, { cohort_id, ids, ...by }: MemberActor & Members): Promise<number> {
  const { rowCount } = await db.query(
    `with joined as (
       insert into cohort_member (cohort_id, user_id, joined_by)
       select $1::uuid, id, $2::text from unnest($8::bigint[]) id order by id
       on conflict do nothing returning user_id
     ), again as (
       insert into cohort_member_source (cohort_id, user_id, import_id, given_by)
       select $1::uuid, who, (select id from bulk_job where id = $7::uuid and kind = 'users'), $2::text
       from unnest($8::bigint[]) who where who not in (select user_id from joined) order by who
       on conflict do nothing
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, cohort_id, detail)
     select $2::text, $3::audit_way, $4::inet, $5::bigint, $6::text, 'member.add', user_id, $1::uuid,
       jsonb_strip_nulls(jsonb_build_object('import_id', $7::text))
     from joined order by user_id`,
    [cohort_id, ...paramsOf(by), ids],
  );
  return rowCount;
}

/**
 * Removes people from a cohort, with an audit line for each removed person. Ignores people who are not members. Returns
 * the number of removed people.
 */
export async function leaveCohort(
  db: Db,
  { cohort_id, ids, reason, ...by }: MemberActor & Members & { reason?: string },
): Promise<number> {
  const { rowCount } = await db.query(
    `with gone as (
       delete from cohort_member where cohort_id = $1::uuid and user_id = any($8::bigint[]) returning user_id
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, cohort_id, detail)
     select $2::text, $3::audit_way, $4::inet, $5::bigint, $6::text, 'member.remove', user_id, $1::uuid,
       jsonb_strip_nulls(jsonb_build_object('import_id', $7::text, 'reason', $9::text))
     from gone order by user_id`,
    [cohort_id, ...paramsOf(by), ids, reason ?? null],
  );
  return rowCount;
}

/**
 * Moves people from the cohort `from` to the cohort `to` in one statement. Ignores people who are not members of `from`.
 * If a person is already a member of `to`, records that this membership was given again (see `joinCohort`).
 * Adds an audit line about `from` for each person. Returns the number of moved people; `arrived` of them were no members
 * of `to`. The caller tells of these in the log of `to` with `createArrival`.
 */
export async function moveMembers(
  db: Db,
  { from, to, ids, ...by }: MemberActor & { from: CohortName; to: CohortName; ids: readonly string[] },
): Promise<{ moved: number; arrived: number }> {
  const { rows } = await db.query<{ moved: number; arrived: number }>(
    `with gone as (
       delete from cohort_member where cohort_id = $1::uuid and user_id = any($8::bigint[]) returning user_id
     ), came as (
       insert into cohort_member (cohort_id, user_id, joined_by) select $9::uuid, user_id, $2::text from gone order by user_id
       on conflict do nothing returning user_id
     ), again as (
       insert into cohort_member_source (cohort_id, user_id, given_by) select $9::uuid, user_id, $2::text from gone
       where user_id not in (select user_id from came) order by user_id
       on conflict do nothing
     ), told as (
       insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, cohort_id, detail)
       select $2::text, $3::audit_way, $4::inet, $5::bigint, $6::text, 'member.move', user_id, $1::uuid,
         jsonb_strip_nulls(jsonb_build_object('import_id', $7::text)) || $10::jsonb
       from gone order by user_id
     )
     select (select count(*)::int from gone) as moved, (select count(*)::int from came) as arrived`,
    [from.cohort_id, ...paramsOf(by), ids, to.cohort_id, JSON.stringify(detailOfMove({ from, to }))],
  );
  return rows[0] as { moved: number; arrived: number };
}

type Move = { from: CohortName; to: CohortName };

const detailOfMove = ({ from, to }: Move) => ({
  cohort: [from.name, to.name],
  cohort_ids: [from.cohort_id, to.cohort_id],
});

/**
 * Adds the audit line about `to` with the number of people who came from the cohort `from`, so that the log of `to` shows
 * the move too (R-TRAIL-52). Without such people, adds none.
 */
export async function createArrival(
  db: Db,
  { actor, import_id, count, ...move }: MemberActor & Move & { count: number },
): Promise<void> {
  if (count === 0) return;
  const detail = { ...(import_id !== undefined && { import_id }), ...detailOfMove(move), count };
  await createAuditLine(db, { actor, action: 'member.arrive', cohort_id: move.to.cohort_id, detail });
}

/**
 * Returns the codes of each of the cohorts on the day `today`, without the cohorts that do not exist or give no product.
 * The list of cohorts calls this for the cohorts of one page: with 300,000 people in 1,000 cohorts, all of them took five
 * times as long as a page of 20.
 */
export async function listProgress(
  db: Db,
  cohort_ids: readonly string[],
  today: string,
): Promise<CohortProgress[]> {
  const { rows } = await db.query<CohortProgress>(
    `with given as (
       select g.cohort_id, g.product_id, not p.shared_coupon and bool_or(
         grant_state(g.withdrawn_at, g.cohort_archived, g.starts_on, g.ends_on, $2) in ('live', 'future')) as counts
       from access_grant g join product p on p.product_id = g.product_id
       where g.cohort_id = any($1::uuid[]) and g.withdrawn_at is null
       group by g.cohort_id, g.product_id, p.shared_coupon
     ), size as (
       select cohort_id, sum(n)::int as members from tally_now
       where what = 'member' and cohort_id = any($1::uuid[]) group by cohort_id
     ), held as (
       select m.cohort_id, c.product_id, count(*)::int as n
       from cohort_member m join coupon c on c.holder = m.user_id and c.is_current
       where m.cohort_id = any($1::uuid[]) and c.revoked_at is null group by m.cohort_id, c.product_id
     ), product_codes as (
       select g.cohort_id, coalesce(s.members, 0) as members, coalesce(h.n, 0) as claimed,
         case when g.counts then greatest(0, coalesce(s.members, 0) - coalesce(h.n, 0) - coalesce(f.free, 0)) else 0 end as short
       from given g left join size s on s.cohort_id = g.cohort_id
         left join held h on h.cohort_id = g.cohort_id and h.product_id = g.product_id
         left join code_counts($2) f on f.product_id = g.product_id
     )
     select cohort_id, sum(members)::int as due, sum(claimed)::int as claimed, sum(short)::int as short
     from product_codes group by cohort_id`,
    [cohort_ids.map(asUuid), today],
  );
  return rows;
}

/** Returns of how many products that the cohort gives each of the people (app_user.id) holds a code (not revoked). */
export async function countClaimed(
  db: Db,
  cohort_id: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ holder: string; count: number }>(
    `select c.holder, count(*)::int as count from coupon c
     where c.holder = any($2::bigint[]) and c.is_current and c.revoked_at is null and exists (
       select from access_grant g where g.cohort_id = $1 and g.withdrawn_at is null
         and (g.product_id is null or g.product_id = c.product_id))
     group by c.holder`,
    [asUuid(cohort_id), ids],
  );
  return new Map(rows.map(({ holder, count }) => [holder, count]));
}

/** Returns when each of the people (app_user.id) joined the cohort. */
export async function listJoinTimes(
  db: Db,
  cohort_id: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ user_id: string; joined_at: string }>(
    'select user_id, joined_at from cohort_member where cohort_id = $1 and user_id = any($2::bigint[])',
    [cohort_id, ids],
  );
  return new Map(rows.map(({ user_id, joined_at }) => [user_id, joined_at]));
}

/** Maximum number of cohorts that a list shows for each person. */
const NAMED_COHORTS = 5;

/**
 * Returns for each of the people (app_user.id) the first NAMED_COHORTS cohorts by name, and the number of further
 * cohorts, without archived cohorts. People without a cohort are missing in the map.
 */
export async function listCohortsOfPeople(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { cohorts: CohortName[]; cohorts_more: number }>> {
  const { rows } = await db.query<{ user_id: string; cohorts: CohortName[]; cohorts_more: number }>(
    `select user_id, count(*)::int - least(count(*)::int, $2) as cohorts_more,
       jsonb_agg(jsonb_build_object('cohort_id', cohort_id, 'name', name) order by place)
         filter (where place <= $2) as cohorts
     from (
       select m.user_id, o.cohort_id, o.name,
         row_number() over (partition by m.user_id order by lower(o.name), o.cohort_id) as place
       from cohort_member m join cohort o on o.cohort_id = m.cohort_id
       where m.user_id = any($1::bigint[]) and o.archived_at is null
     ) listed group by user_id`,
    [ids, NAMED_COHORTS],
  );
  return new Map(rows.map(({ user_id, ...rest }) => [user_id, rest]));
}
