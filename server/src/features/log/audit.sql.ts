// Writes and reads the lines of the audit log, which records who changed what, and the origin of each change (R-TRAIL-02).
import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { AUDIT_LOOKED_AT } from '@portal/contract';
import { asRowId, asUuid, type Db } from '../../db/database.ts';

/** The member of the team who makes a change, as the log stores it (N-320). `id` is app_user.id. */
type Actor = { id: string; email: string; name: string | null };

/** Where a change comes from. `ip` is null if no address is known, `actor` if no member of the team makes the change. */
export type Origin = { ip: string | null; actor: Actor | null };
export const UNKNOWN_ORIGIN: Origin = { ip: null, actor: null };

// Only the audit log needs the origin. So the origin is not passed through all functions between the route and the log.
const origins = new AsyncLocalStorage<Origin>();

type Way = 'page' | 'key' | 'operator' | 'portal';

// `actor` is 'operator', 'portal', 'key:' followed by the name of an API key, 'learner', or the address of a member of the
// team. Learners and members of the team act on a page.
function wayOf(actor: string): Way {
  if (actor === 'operator' || actor === 'portal') return actor;
  return actor.startsWith('key:') ? 'key' : 'page';
}

/** Runs `work`. The audit lines that `work` writes about actions of staff contain this origin. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return origins.run(origin, work);
}

/**
 * Returns the origin of the request that is being handled; in a job, that of the request that started the job. Returns
 * UNKNOWN_ORIGIN for a learner's request, and for work that no request started.
 */
export function currentOrigin(): Origin {
  return origins.getStore() ?? UNKNOWN_ORIGIN;
}

/**
 * Returns the columns `via, ip, actor_id, actor_name` of an audit line. The IP address is null unless `actor` is a member of
 * the team or an API key. Id and name are null unless `actor` is the member in the current origin; `readLog` then shows the
 * name of the user who has the actor's e-mail address.
 */
export function originOf(
  actor: string,
): [via: Way, ip: string | null, actor_id: string | null, actor_name: string | null] {
  const { ip, actor: member } = currentOrigin();
  const [id, name] = member?.email === actor ? [member.id, member.name] : [null, null];
  return [wayOf(actor), actor.includes('@') || actor.startsWith('key:') ? ip : null, id, name];
}

/**
 * Returns the filters of a list for the `detail` of an audit line that is not about one person. Such a line must not
 * contain an address: when the person is erased, nothing would find it (N-253).
 */
export function hideAddress<T extends { q?: string | null | undefined }>(filters: T): T {
  return filters.q?.includes('@') ? { ...filters, q: '…@…' } : filters;
}

export type AuditLine = {
  actor: string;
  action: string;
  user_id?: string | null;
  product_id?: string | null;
  coupon_id?: string | null;
  cohort_id?: string | null;
  batch_id?: string | null;
  detail?: Record<string, unknown>;
  /**
   * Makes the line the summary of the current group: the first words of the actions in the group, such as 'grant'. A filter
   * by kind finds the summary by these words.
   */
  summary_of?: readonly string[];
};

/**
 * The e-mail address of the member of staff who started the import `import_id`. The audit lines of the rows contain
 * both values.
 */
export type Importer = { actor: string; import_id: string };

/**
 * Adds an audit line, with its origin (R-TRAIL-02). Call this function in the transaction of the change that the line
 * describes.
 */
export async function createAuditLine(db: Db, line: AuditLine): Promise<void> {
  await db.query(
    `insert into audit (actor, via, ip, actor_id, actor_name, action,
       user_id, product_id, coupon_id, cohort_id, batch_id, detail, summary_of)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      ...[line.actor, ...originOf(line.actor), line.action],
      ...[line.user_id, line.product_id, line.coupon_id, line.cohort_id, line.batch_id].map(
        (id) => id ?? null,
      ),
      JSON.stringify(line.detail ?? {}),
      line.summary_of ?? null,
    ],
  );
}

/**
 * Puts the audit lines that the transaction `tx` writes from now on into the group `group_id` (R-DAY-40). null ends the
 * group for this transaction. Whoever begins a group writes its summary, if the group has lines.
 */
export async function setLogGroup(tx: Db, group_id: string | null): Promise<void> {
  await tx.query("select set_config('portal.audit_group', $1, true)", [group_id ?? '']);
}

/** Returns true if the group has a line. */
export async function hasLines(db: Db, group_id: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from audit where group_id = $1 limit 1', [group_id]);
  return rows.length > 0;
}

/** Returns the keys of `fields` whose values differ in `from` and `to`. Each key has the value [old, new]. */
export function listChanges<T extends object>(
  fields: T,
  { from, to }: { from: NoInfer<T>; to: NoInfer<T> },
): Record<string, [unknown, unknown]> {
  const changed = (Object.keys(fields) as (keyof T & string)[]).filter(
    (field) => !isDeepStrictEqual(from[field], to[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, [from[field], to[field]]]));
}

/**
 * An audit line, with the person, product, code, cohort and upload that the line is about. Their fields are null if the line
 * is not about a person, a product, and so on.
 * `coupon_code` is the full code, so the caller masks it. `actor_name` is the actor's name when the line was written. In
 * old lines, which have no such name, `actor_name` is the name of the user who has the actor's address now.
 */
export type LogLine = {
  id: string;
  at: string;
  actor: string;
  actor_name: string | null;
  action: string;
  via: Way;
  ip: string | null;
  user_id: string | null;
  email: string | null;
  name: string | null;
  product_id: string | null;
  product_name: string | null;
  coupon_id: string | null;
  coupon_code: string | null;
  cohort_id: string | null;
  cohort_name: string | null;
  batch_id: string | null;
  file_name: string | null;
  detail: Record<string, unknown>;
  group_id: string | null;
};

/** The summary of a group of lines. */
export type LogSummary = Pick<LogLine, 'action' | 'detail'>;

/** Selects the lines about one thing. `value` must have the type of the column `by`; `user_id` is app_user.id. */
export type LogSubject = {
  by: 'user_id' | 'product_id' | 'coupon_id' | 'cohort_id' | 'batch_id' | 'actor' | 'group_id';
  value: string;
};

/**
 * Selects lines. `kinds` contains first words of actions, such as 'grant' of grant.create. The time of the lines is at or
 * after `from`, and before `until`. A field that is null excludes no line. `entries` selects the lines without a group and
 * the summaries of groups; it applies to the log of a product, a cohort, an upload or an actor, and to the whole log.
 */
export type LogFilter = {
  entries: boolean;
  subject: LogSubject | null;
  kinds: readonly string[] | null;
  from: Date | null;
  until: Date | null;
};

/**
 * `next` is the id after which the next page begins; null on the last page. A page reads at most AUDIT_LOOKED_AT lines. If
 * the page is not full after so many lines, `looked_until` is the time of the last line that was read. Otherwise null.
 */
export type LogPage = { lines: LogLine[]; next: string | null; looked_until: string | null };

const LAST_ID = '9223372036854775807';
// Lines are sorted by id. The times of the lines may have another order, because transactions run at the same time, and the
// clock of the machine can go back (R-TRAIL-62). So the first and the last id of a range of time are searched among
// this many lines at each end of the range.
const NEIGHBOURS = 1_000;

// Finds the lines about a subject, whose value is $1. A product, actor or cohort may have many lines, but none among the
// newest. With `= $1` and `order by id`, the planner could then read the whole log, newest first. The condition `between`
// and an order that begins with the column make the planner use the index on this column.
const SUBJECT: Record<LogSubject['by'], { condition: string; order: string }> = {
  user_id: { condition: 'user_id = $1::bigint', order: 'id desc' },
  coupon_id: { condition: 'coupon_id = $1::bigint', order: 'id desc' },
  batch_id: { condition: 'batch_id = $1::bigint', order: 'id desc' },
  product_id: { condition: 'product_id between $1::uuid and $1::uuid', order: 'product_id desc, id desc' },
  cohort_id: { condition: 'cohort_id between $1::uuid and $1::uuid', order: 'cohort_id desc, id desc' },
  actor: { condition: 'actor between $1::text and $1::text', order: 'actor desc, id desc' },
  // A group has up to millions of lines. Comparisons of rows make the planner expect many lines, so it reads the index in
  // its order and stops after a page. With conditions on each column, it would read and sort the whole group.
  group_id: {
    condition: `group_id is not null and (group_id, id) < ($1::uuid, $2::bigint)
      and (group_id, id) >= ($1::uuid, $3::bigint) and summary_of is null`,
    order: 'group_id desc, id desc',
  },
};
const ALL = { condition: '$1::text is null', order: 'id desc' };

// The conditions of entries (R-DAY-40), as they are in the indexes audit_entry, audit_cohort_entry and audit_actor_entry.
const ENTRY = '(group_id is null or summary_of is not null)';
const ENTRY_OF: Partial<Record<LogSubject['by'], string>> = {
  cohort_id: "(group_id is null or summary_of is not null or action = 'member.arrive')",
  batch_id: ENTRY,
  actor: `${ENTRY} and actor <> 'learner'`,
};

/** Returns the condition of entries of the log of `subject`; null if each of its lines is an entry. */
function findEntryCondition(subject: LogSubject | null): string | null {
  if (subject === null) return ENTRY;
  return subject.by === 'actor' && subject.value === 'learner' ? null : (ENTRY_OF[subject.by] ?? null);
}
// The log of a person also has the lines that changed the access of the person's cohorts.
const OF_COHORTS = `cohort_id in (select cohort_id from cohort_member where user_id = $1::bigint) and user_id is null
  and split_part(action, '.', 1) in ('grant', 'cohort')`;

// The entries of a product: its lines without a group, and one line for each group with lines about the product. This is
// the summary of the group; if the group has only one line about the product, it is this line. A group with more lines,
// but without a summary yet, has no entry, as in the whole log. The lines of a group have any place in the log, so the
// groups are found one after the other, each by one step in the index audit_product_group.
const PRODUCT_ENTRIES = `
    with recursive own_group as (
      (select group_id from audit
       where product_id between $1::uuid and $1::uuid and product_id is not null and group_id is not null
       order by product_id, group_id, id limit 1)
      union all
      select (
        select next.group_id from audit next
        where (next.product_id, next.group_id) > ($1::uuid, own_group.group_id)
          and (next.product_id, next.group_id) <= ($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
          and next.product_id is not null and next.group_id is not null
        order by next.product_id, next.group_id, next.id limit 1)
      from own_group where own_group.group_id is not null
    ), told as (
      select case when about.lines = 1 then about.id else summary.id end as id
      from own_group cross join lateral (
        select count(*) as lines, max(line.id) as id from (
          select first.id from audit first
          where first.product_id between $1::uuid and $1::uuid and first.group_id = own_group.group_id
            and first.product_id is not null and first.group_id is not null
          order by first.product_id, first.group_id, first.id limit 2) line
      ) about
      left join audit summary on summary.group_id = own_group.group_id and summary.summary_of is not null
      where own_group.group_id is not null
    )
    select * from (
      (select product_id as of_product, * from audit where id < $2 and id >= $3 and product_id between $1::uuid and $1::uuid
         and product_id is not null and group_id is null
       order by product_id desc, id desc limit ${AUDIT_LOOKED_AT})
      union all
      (select $1::uuid, line.* from told join audit line on line.id = told.id
       where told.id < $2 and told.id >= $3)
    ) entry order by of_product desc, id desc limit ${AUDIT_LOOKED_AT}`;

/**
 * Returns SQL that selects the lines of which a page is made, before the filters, and their `order by` clause. $1 is
 * the value of the subject, $2 and $3 the range of ids.
 */
function lookedAt({ subject, entries }: Pick<LogFilter, 'subject' | 'entries'>): {
  lines: string;
  order: string;
} {
  const { condition: about, order } = subject === null ? ALL : SUBJECT[subject.by];
  if (subject?.by === 'product_id' && entries)
    return { lines: PRODUCT_ENTRIES, order: 'of_product desc, id desc' };
  const entry = entries ? findEntryCondition(subject) : null;
  const condition = entry === null ? about : `${about} and ${entry}`;
  const range = subject?.by === 'group_id' ? '' : 'id < $2 and id >= $3 and ';
  const linesWith = (which: string) => `
    select * from audit where ${range}${which} order by ${order} limit ${AUDIT_LOOKED_AT}`;
  const own = linesWith(condition);
  if (subject?.by !== 'user_id') return { lines: own, order };
  const lines = `select * from ((${own}) union all (${linesWith(OF_COHORTS)})) both_kinds
    order by id desc limit ${AUDIT_LOOKED_AT}`;
  return { lines, order };
}

/** Returns one page of the selected lines, newest first: at most `limit` lines, with ids below `before` (R-TRAIL-03). */
export async function readLog(
  db: Db,
  { subject, entries, kinds, from, until }: LogFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<LogPage> {
  const nothing = { lines: [], next: null, looked_until: null };
  const first = from === null ? '0' : await findFirstId(db, from);
  const end = until === null ? LAST_ID : await findEndId(db, until);
  if (first === null || end === null) return nothing;
  const looked = lookedAt({ subject, entries });
  const range = [subject?.value ?? null, least(before ?? LAST_ID, end), first];
  const { rows } = await db.query<LogLine>(
    `with page as (
       select * from (${looked.lines}) looked
       where ($4::text[] is null or split_part(action, '.', 1) = any($4) or summary_of && $4)
         and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
       order by ${looked.order} limit $7
     )
     select a.id, a.at, a.actor, case when a.actor_id is null then s.name else a.actor_name end as actor_name, a.action,
       a.via, host(a.ip) as ip, u.user_id, u.email, u.name,
       p.product_id, p.name as product_name, c.id as coupon_id, c.coupon_code, a.cohort_id, h.name as cohort_name,
       b.id as batch_id, b.file_name, a.detail, a.group_id
     from page a
     left join app_user u on u.id = a.user_id
     left join app_user s on s.email = case when a.actor_id is null and a.actor like '%@%' then a.actor end
     left join product p on p.product_id = a.product_id
     left join coupon c on c.id = a.coupon_id
     left join cohort h on h.cohort_id = a.cohort_id
     left join coupon_batch b on b.id = a.batch_id
     order by a.id desc`,
    [...range, kinds, from, until, limit + 1],
  );
  const lines = rows.slice(0, limit);
  if (rows.length > limit) return { lines, next: lines.at(-1)?.id ?? null, looked_until: null };
  const last = await findLastLookedAt(db, looked, range);
  return { lines, next: last?.id ?? null, looked_until: last?.at ?? null };
}

/** Returns the summaries of these groups by group. A group that has not ended is missing. */
export async function listSummaries(db: Db, groups: readonly string[]): Promise<Map<string, LogSummary>> {
  const { rows } = await db.query<LogSummary & { group_id: string }>(
    'select group_id, action, detail from audit where group_id = any($1::uuid[]) and summary_of is not null',
    [groups],
  );
  return new Map(rows.map((row) => [row.group_id, row]));
}

// Returns the last of the AUDIT_LOOKED_AT lines that a page reads; null if there are fewer lines to read.
async function findLastLookedAt(
  db: Db,
  { lines, order }: { lines: string; order: string },
  range: (string | null)[],
): Promise<{ id: string; at: string } | null> {
  const { rows } = await db.query<{ id: string; at: string }>(
    `select id, at from audit
     where id = (select id from (${lines}) looked order by ${order} offset ${AUDIT_LOOKED_AT - 1} limit 1)`,
    range,
  );
  return rows[0] ?? null;
}

// Returns a lower bound of the ids of all lines since `from`; null if there is no line since `from`.
async function findFirstId(db: Db, from: Date): Promise<string | null> {
  const { rows } = await db.query<{ id: string | null }>(
    `select min(id) as id from (select id from audit where at >= $1 order by at, id limit $2) nearest`,
    [from, NEIGHBOURS],
  );
  return rows[0]?.id ?? null;
}

// Returns an id that is higher than the ids of all lines before `until`; null if there is no line before `until`.
async function findEndId(db: Db, until: Date): Promise<string | null> {
  const { rows } = await db.query<{ id: string | null }>(
    `select max(id) + 1 as id
     from (select id from audit where at < $1 order by at desc, id desc limit $2) nearest`,
    [until, NEIGHBOURS],
  );
  return rows[0]?.id ?? null;
}

function least(a: string, b: string): string {
  return BigInt(a) < BigInt(b) ? a : b;
}

const KNOWN = {
  product_id: 'select 1 from product where product_id = $1',
  coupon_id: 'select 1 from coupon where id = $1',
  cohort_id: 'select 1 from cohort where cohort_id = $1',
  batch_id: 'select 1 from coupon_batch where id = $1',
  group_id: 'select 1 from audit where group_id = $1 limit 1',
};

/** Returns true if there is a product, code, cohort, batch or group of lines with this id. */
export async function isKnownSubject(
  db: Db,
  { by, value }: { by: keyof typeof KNOWN; value: string },
): Promise<boolean> {
  const { rows } = await db.query(KNOWN[by], [
    by === 'coupon_id' || by === 'batch_id' ? asRowId(value) : asUuid(value),
  ]);
  return rows.length > 0;
}

// SQL of the sign-in service's audit lines.

/** The user of an audit line: by the id in the sign-in service, or by the address. */
type Whose = { auth_id: string } | { email: string };

/**
 * Adds an audit line about a user of the portal. Call this function in the transaction of the change. Without `actor`,
 * the user is the actor of the line: a member of the team with address, id, name and IP address, anybody else only as
 * 'learner' (N-29). `user_id` of the line is null if the portal does not know the address.
 */
export async function createSignInLine(
  db: Db,
  line: Whose & { action: string; detail: Record<string, unknown>; actor?: 'operator' },
): Promise<void> {
  const { action, detail, actor = null } = line;
  const [email, auth_id] = 'email' in line ? [line.email, null] : [null, line.auth_id];
  await db.query(
    `insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, detail)
     select by.actor, case when $1 is null then 'page'::audit_way else 'operator' end,
       case when by.is_member then $6::inet end, case when by.is_member then by.user_id end,
       case when by.is_member then by.name end, $2, by.user_id, $3::jsonb
     from (select coalesce($1::text, case when u.team_role is not null then u.email end, 'learner') as actor,
             $1 is null and u.team_role is not null as is_member, u.id as user_id, u.name
           from (select coalesce($4, (select email from auth_user where id = $5::uuid)) as email) given
           left join app_user u on u.email = given.email) by`,
    [actor, action, JSON.stringify(detail), email, auth_id, currentOrigin().ip],
  );
}

/** Adds an audit line about a change of the service by the operator. */
export async function createServiceLine(
  db: Db,
  action: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await db.query(
    "insert into audit (actor, via, action, detail) values ('operator', 'operator', $1, $2::jsonb)",
    [action, JSON.stringify(detail)],
  );
}
