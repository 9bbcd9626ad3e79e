// Adds people to cohorts, removes them and moves them, and reads whose cohorts are which.
//
// Each change first locks the people in the order of their ids (`lockPeople`). So two changes of the same people run one
// after the other, whatever their cohorts, and cannot deadlock.
import { COHORTS_OF_PERSON_MAX, type CohortName } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { uploadOf } from '../access/access.sql.ts';
import { ORIGIN_COLUMNS, originOf } from '../log/origin.sql.ts';
import { findStoredEmails } from '../people/stored-emails.sql.ts';

/** Who changes members. `import_id` is the upload or job that does so. */
export type MemberActor = { actor: string; import_id?: string | undefined };
type Who = { cohort_id: string; ids: readonly string[] };

// SQL of an audit line about one person up to its act: $2 is the actor, $3 to $6 the origin, $7 the id of the upload or
// job.
const LINE = `insert into audit (actor, ${ORIGIN_COLUMNS}, action, user_id, cohort_id, detail)
     select $2::text, $3::audit_way, $4::inet, $5::bigint, $6::text,`;
const IMPORT = "jsonb_strip_nulls(jsonb_build_object('import_id', $7::text))";
const paramsOf = ({ actor, import_id }: MemberActor) => [actor, ...originOf(actor), import_id ?? null];

/** Locks the people with these addresses, and returns their ids (app_user.id). Ignores unknown addresses. */
export async function lockPeople(db: Db, emails: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from app_user where email = any($1::text[]) order by id for no key update',
    [[...(await findStoredEmails(db, emails)).values()]],
  );
  return rows.map(({ id }) => id);
}

/** Does the same as `lockPeople` for people whose ids are known. */
export async function lockPeopleById(db: Db, ids: readonly string[]): Promise<void> {
  await db.query('select 1 from app_user where id = any($1::bigint[]) order by id for no key update', [ids]);
}

/**
 * Returns those of the people who cannot join the cohort, because they are in the most cohorts already. They must be
 * locked.
 */
export async function listFull(
  db: Db,
  { cohort_id, ids }: { cohort_id: string; ids: readonly string[] },
): Promise<{ id: string; email: string }[]> {
  const { rows } = await db.query<{ id: string; email: string }>(
    `select u.id, u.email from (
       select user_id from cohort_member where user_id = any($2::bigint[]) group by user_id
       having count(*) >= ${COHORTS_OF_PERSON_MAX} and not bool_or(cohort_id = $1)
     ) full_ones join app_user u on u.id = full_ones.user_id order by u.id`,
    [cohort_id, ids],
  );
  return rows;
}

/**
 * Adds people to a cohort, with an audit line for each who joins. Of those who are members already, notes that they were
 * given the membership again: it stays if the upload that made it is taken back. The people must be locked. Returns the
 * number of people who joined.
 */
export async function joinCohort(
  db: Db,
  { cohort_id, ids, ...by }: MemberActor & { cohort_id: string; ids: readonly string[] },
): Promise<number> {
  const { rowCount } = await db.query(
    `with joined as (
       insert into cohort_member (cohort_id, user_id, joined_by)
       select $1::uuid, id, $2::text from unnest($8::bigint[]) id order by id
       on conflict do nothing returning user_id
     ), again as (
       insert into cohort_member_source (cohort_id, user_id, import_id, given_by)
       select $1::uuid, who, ${uploadOf('$7')}, $2::text from unnest($8::bigint[]) who
       where who not in (select user_id from joined) order by who
       on conflict do nothing
     )
     ${LINE} 'member.add', user_id, $1::uuid, ${IMPORT} from joined order by user_id`,
    [cohort_id, ...paramsOf(by), ids],
  );
  return rowCount;
}

/**
 * Removes people from a cohort, with an audit line for each. Ignores those who are no members. Returns the number of
 * removed people.
 */
export async function leaveCohort(
  db: Db,
  { cohort_id, ids, reason, ...by }: MemberActor & Who & { reason?: string },
): Promise<number> {
  const { rowCount } = await db.query(
    `with gone as (
       delete from cohort_member where cohort_id = $1::uuid and user_id = any($8::bigint[]) returning user_id
     )
     ${LINE} 'member.remove', user_id, $1::uuid, ${IMPORT} || jsonb_strip_nulls(jsonb_build_object('reason', $9::text)) from gone order by user_id`,
    [cohort_id, ...paramsOf(by), ids, reason ?? null],
  );
  return rowCount;
}

/**
 * Moves people from a cohort to another in one statement. Ignores those who are no members. Somebody who is a member of
 * the other cohort already leaves the first, and was given the other membership again (`joinCohort`). Each person has an
 * audit line, which stands with the cohort that they left; the other cohort has one that counts who came, so that its
 * timeline says so too (R-TRAIL-52). Returns the number of moved people.
 */
export async function moveMembers(
  db: Db,
  { from, to, ids, ...by }: MemberActor & { from: CohortName; to: CohortName; ids: readonly string[] },
): Promise<number> {
  const { rowCount } = await db.query(
    `with gone as (
       delete from cohort_member where cohort_id = $1::uuid and user_id = any($8::bigint[]) returning user_id
     ), came as (
       insert into cohort_member (cohort_id, user_id, joined_by) select $9::uuid, user_id, $2::text from gone order by user_id
       on conflict do nothing returning user_id
     ), again as (
       insert into cohort_member_source (cohort_id, user_id, given_by) select $9::uuid, user_id, $2::text from gone
       where user_id not in (select user_id from came) order by user_id
       on conflict do nothing
     ), arrival as (
       ${LINE} 'member.arrive', null, $9::uuid,
         ${IMPORT} || $10::jsonb || jsonb_build_object('count', count(*)) from came having count(*) > 0
     )
     ${LINE} 'member.move', user_id, $1::uuid, ${IMPORT} || $10::jsonb from gone order by user_id`,
    [
      from.cohort_id,
      ...paramsOf(by),
      ids,
      to.cohort_id,
      JSON.stringify({ cohort: [from.name, to.name], cohort_ids: [from.cohort_id, to.cohort_id] }),
    ],
  );
  return rowCount;
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

/** Number of cohorts that each person of a list carries. */
const NAMED_COHORTS = 5;

/**
 * Returns the cohorts of people (app_user.id), by name and without archived ones: at most five for each, and how many
 * more there are. People without a cohort are missing in the map. One statement for all people of a page.
 */
export async function listCohortsOfPeople(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { cohorts: CohortName[]; cohorts_more: number }>> {
  const { rows } = await db.query<{ user_id: string; cohorts: CohortName[]; cohorts_more: number }>(
    `select user_id, count(*)::int - least(count(*)::int, ${NAMED_COHORTS}) as cohorts_more,
       jsonb_agg(jsonb_build_object('cohort_id', cohort_id, 'name', name) order by place)
         filter (where place <= ${NAMED_COHORTS}) as cohorts
     from (
       select m.user_id, o.cohort_id, o.name,
         row_number() over (partition by m.user_id order by lower(o.name), o.cohort_id) as place
       from cohort_member m join cohort o on o.cohort_id = m.cohort_id
       where m.user_id = any($1::bigint[]) and o.archived_at is null
     ) listed group by user_id`,
    [ids],
  );
  return new Map(rows.map(({ user_id, ...rest }) => [user_id, rest]));
}
