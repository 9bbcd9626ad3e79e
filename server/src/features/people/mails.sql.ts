// Reads the mails to one person from the audit log and the job queue. Stores notices: a notice records the new benefits
// of a person until a mail announces them, and whether that mail was sent (R-INV-01 to R-INV-03).
import type { PersonMail, ReadyMails } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { placeOf } from '../../jobs/jobs.sql.ts';
import { hasAccess } from '../access/access.sql.ts';
import { originOf } from '../log/audit.sql.ts';

/** An audit line about a mail. `job` is the id of the mail's job; null for a mail without a job. */
export type MailEvent = Record<'id' | 'at' | 'actor' | 'action' | 'kind', string> &
  Record<'job' | 'words', string | null> &
  Pick<PersonMail, 'product'>;

/**
 * Returns the last audit lines about mails to a user (app_user.id), newest first. Considers only the last 5,000 audit
 * lines of the user.
 */
export async function listMailEvents(db: Db, user: string, limit: number): Promise<MailEvent[]> {
  const { rows } = await db.query<MailEvent>(
    `select a.id, a.at, a.actor, a.action, a.detail ->> 'id' as job, coalesce(a.detail ->> 'kind', '') as kind,
       a.detail ->> 'words' as words,
       case when p.product_id is not null then jsonb_build_object('product_id', p.product_id, 'name', p.name) end as product
     from (select * from audit where user_id = $1 order by id desc limit 5000) a
     left join product p on p.product_id = a.product_id
     where a.action in ('mail.queue', 'mail.send', 'mail.retry', 'mail.fail', 'mail.bounce')
     order by a.id desc limit $2`,
    [user, limit],
  );
  return rows;
}

/**
 * A mail that is not sent yet. `kind` is the kind of its job. `reason` is the error of the last try; null before the
 * first error.
 */
export type WaitingMail = Record<'id' | 'kind' | 'created_at' | 'due_at', string> & {
  reason: string | null;
} & Pick<PersonMail, 'product'>;

/**
 * Returns the mails to an address that wait or are being sent, newest first. The key of the job of a sign-in mail is
 * the address. Other jobs have the address in `about`.
 *
 * Leaves out a mail about benefits that has no notices left, because the upload was stopped or undone (R-INV-03). The
 * key of such a mail ends with a day, or with the UTC time of a later try. The mail takes the notices that are due on
 * that day or before. If the key has a time, the notices of the next day count too: the portal's time zone may be a day
 * ahead of UTC. A failed mail that staff retry takes its own notices again.
 */
export async function listWaitingMails(db: Db, email: string): Promise<WaitingMail[]> {
  const { rows } = await db.query<WaitingMail>(
    `select j.id, j.kind, j.created_at, j.due_at, j.reason,
       case when p.product_id is not null then jsonb_build_object('product_id', p.product_id, 'name', p.name) end as product
     from job j left join product p on p.product_id = (j.data ->> 'product_id')::uuid
     where (j.kind = 'sign-in-mail' and j.key = $1
         or j.kind in ('code-mail', 'ready-mail', 'team-mail', 'stock-mail', 'notice-mail') and j.data ->> 'about' = $1)
       and j.state in ('waiting', 'running')
       and (j.kind <> 'ready-mail' or j.state = 'running' or exists (
         select from ready_notice n join app_user u on u.id = n.user_id
         where u.email = $1 and (n.mail_id = j.id and n.state in ('queued', 'failed')
           or n.state = 'queued' and n.due_on <= left(split_part(j.key, ' ', 2), 10)::date
             + case when split_part(j.key, ' ', 2) like '%T%' then 1 else 0 end)))
     order by j.created_at desc, j.id desc`,
    [email],
  );
  return rows;
}

/**
 * Deletes the unsent mails to an address (see `listWaitingMails`). Returns the deleted mails that were waiting, without
 * mails that were being sent.
 */
export async function deleteMailsTo(
  db: Db,
  email: string,
): Promise<{ id: string; kind: string; product_id: string | null }[]> {
  const { rows } = await db.query<{ id: string; kind: string; product_id: string | null; state: string }>(
    `delete from job j
     where (j.kind = 'sign-in-mail' and j.key = $1
         or j.kind in ('code-mail', 'ready-mail', 'team-mail', 'stock-mail', 'notice-mail') and j.data ->> 'about' = $1)
       and j.state <> 'cancelled'
     returning j.id, j.kind, j.state, j.data ->> 'product_id' as product_id`,
    [email],
  );
  return rows.filter(({ state }) => state === 'waiting');
}

/**
 * Returns the seconds until the next mail about a code of this product may be sent to the user (app_user.id); 0 if such
 * a mail may be sent now. Reads the audit log, so the limit also holds after a restart. The caller must have locked the
 * user.
 */
export async function countSecondsToCodeMail(
  db: Db,
  { user, product_id, minutes }: { user: string; product_id: string; minutes: number },
): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select ceil(extract(epoch from at + make_interval(mins => $3) - now()))::int as seconds
     from (select * from audit where user_id = $1 order by id desc limit 5000) a
     where action = 'mail.queue' and product_id = $2 and detail ->> 'kind' = 'code'
     order by id desc limit 1`,
    [user, product_id, minutes],
  );
  return Math.max(0, rows[0]?.seconds ?? 0);
}

/** The state of an upload lists at most this many people whose mail failed. */
const NAMED_REFUSED = 100;

/** The access that staff are about to give. Null in `product_ids` stands for all products. */
export type ComingAccess = {
  emails: readonly string[];
  product_ids: readonly (string | null)[];
  cohort_ids: readonly string[];
  starts_on: string;
  today: string;
};

/**
 * Adds notices of the coming access: one for each person and first day. A notice lists the products that the person
 * does not have on that day and gets directly or by joining the cohorts. Adds no notice without products. Must be
 * called before the access is given. Returns the ids of the notices. With `isHeld`, no mail is sent until
 * `releaseNotices` is called.
 */
export async function createNotices(
  db: Db,
  { emails, product_ids, starts_on, cohort_ids, today }: ComingAccess,
  { import_id, language, isHeld }: { import_id: string | null; language: string; isHeld: boolean },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `insert into ready_notice (user_id, product_ids, due_on, import_id, language, state)
     select u.id, array_agg(coming.product_id), coming.due_on, $6::uuid, $7, $8
     from app_user u cross join (
       select p.product_id, greatest($3::date, $5::date) as due_on from product p
       where p.archived_at is null and (p.product_id = any($2::uuid[]) or array_position($2::uuid[], null) is not null)
       union
       select p.product_id, greatest(g.starts_on, $5::date) from access_grant g
         join product p on p.product_id = g.product_id or g.product_id is null
       where g.cohort_id = any($4::uuid[]) and p.archived_at is null and g.withdrawn_at is null
         and not g.cohort_archived and (g.ends_on is null or g.ends_on >= greatest(g.starts_on, $5::date))
     ) coming
     where u.email = any($1::text[]) and not ${hasAccess('u.id', 'coming.product_id', 'coming.due_on')}
     group by u.id, coming.due_on order by u.id, coming.due_on
     returning id`,
    [
      ...[emails, product_ids, starts_on, cohort_ids, today],
      ...[import_id, language, isHeld ? 'held' : 'queued'],
    ],
  );
  return rows.map(({ id }) => id);
}

/** Returns the number of people with held notices of the job. */
export async function countUntold(db: Db, import_id: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(distinct user_id)::int as count from ready_notice where import_id = $1 and state = 'held'`,
    [import_id],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Queues the next held notices of the job, at most `limit`, and returns their ids. Notices whose day has passed get the
 * day `today`, so that one mail announces all of a person.
 */
export async function releaseNotices(
  db: Db,
  order: { import_id: string; language: string; today: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `update ready_notice set state = 'queued', language = $2, due_on = greatest(due_on, $3::date)
     where id in (
       select id from ready_notice where import_id = $1 and state = 'held' order by user_id, id limit $4 for update)
     returning id`,
    [order.import_id, order.language, order.today, order.limit],
  );
  return rows.map(({ id }) => id);
}

// Staff who upload a wrong file can undo the upload within these minutes, before people get a mail.
export const DELAY_MINUTES = 10;

/**
 * Enqueues the mails of new notices, with their audit lines. A mail is due after DELAY_MINUTES, but not within 24 hours
 * after the person's last such mail (R-INV-02). If the access begins after the day `today`, the mail is due at noon UTC
 * of the first day of the access. This day has then begun in every time zone. Adds no second mail for the same person
 * and day.
 */
export async function enqueueReadyMails(
  db: Db,
  ids: readonly string[],
  { actor, now, today }: { actor: string; now: Date; today: string },
): Promise<void> {
  const place = placeOf('ready-mail');
  await db.query(
    `with due as (
       select distinct on (u.id, n.due_on) u.id, u.user_id, u.email, n.due_on, n.language, greatest(
         $2::timestamptz + make_interval(mins => $3),
         case when n.due_on > $4::date then n.due_on::timestamp at time zone 'UTC' + interval '12 hours' end,
         (select max(least(s.ended_at, $2::timestamptz)) from ready_notice s where s.user_id = u.id and s.state = 'sent')
           + interval '24 hours') as due_at
       from ready_notice n join app_user u on u.id = n.user_id where n.id = any($1::bigint[])
       order by u.id, n.due_on, n.id
     ), queued as (
       select id as person, enqueue_job('ready-mail', user_id || ' ' || due_on, $5, $6,
         jsonb_build_object('about', email, 'user_id', user_id, 'language', language,
           'group_id', nullif(current_setting('portal.audit_group', true), '')), 'waiting', $2, due_at, false) as job
       from due
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, detail)
     select $7, $8, $9, $10, $11, 'mail.queue', person, jsonb_build_object('kind', 'ready', 'id', job::text) from queued
     where job is not null order by person`,
    [...[ids, now.toISOString(), DELAY_MINUTES, today, ...place], ...[actor, ...originOf(actor)]],
  );
}

/**
 * Returns when the next mail about benefits may be sent to the person (app_user.id): 24 hours after the last such mail
 * (R-INV-02). Returns null if the mail may be sent now. Another mail that waits or is being sent counts as sent at
 * `now`. The person must be locked.
 */
export async function findNextReadyMail(
  db: Db,
  { user, mail_id, now }: { user: string; mail_id: string; now: Date },
): Promise<Date | null> {
  // A time in the future was written when the clock was ahead. Without this update, the person would get no mail until
  // a day after that time.
  await db.query('update ready_notice set ended_at = $2 where user_id = $1 and ended_at > $2', [
    user,
    now.toISOString(),
  ]);
  const { rows } = await db.query<{ last: string | null }>(
    `select max(coalesce(ended_at, $3::timestamptz)) as last from ready_notice n
     where user_id = $1 and (
       (state = 'sent' and ended_at > $3::timestamptz - interval '24 hours')
       or (state = 'queued' and mail_id <> $2 and exists (
         select from job where job.id = n.mail_id and job.state in ('waiting', 'running'))))`,
    [user, mail_id, now.toISOString()],
  );
  const last = rows[0]?.last;
  return last ? new Date(Date.parse(last) + 24 * 3_600_000) : null;
}

/**
 * Assigns the person's due notices to the mail `mail_id`. If the mail failed and is retried, includes its former
 * notices. Does not change the notices of another mail that waits or is being sent. The person must be locked. Returns
 * the sorted names of the products of these notices to which the person has access today and whose redeeming has not
 * closed.
 */
export async function takeNotices(
  db: Db,
  { user, mail_id, today }: { user: string; mail_id: string; today: string },
): Promise<string[]> {
  await db.query(
    `update ready_notice n set mail_id = $2, state = 'queued', ended_at = null, words = null
     where user_id = $1 and due_on <= $3::date
       and ((state = 'queued' and not exists (
           select from job where job.id = n.mail_id and job.state in ('waiting', 'running')))
         or (mail_id = $2 and state in ('queued', 'failed')))`,
    [user, mail_id, today],
  );
  const { rows } = await db.query<{ name: string }>(
    `select distinct p.name from ready_notice n join product p on p.product_id = any(n.product_ids)
     where n.user_id = $1 and n.mail_id = $2 and n.state = 'queued' and p.archived_at is null
       and (p.closes_on is null or p.closes_on >= $3::date) and ${hasAccess('n.user_id', 'p.product_id', '$3::date')}
     order by p.name`,
    [user, mail_id, today],
  );
  return rows.map(({ name }) => name);
}

/** Stores whether the mail of the notices was sent. `words` is the reason if the mail was not sent. */
export async function endNotices(
  db: Db,
  mail_id: string,
  { state, words, at }: { state: 'sent' | 'failed' | 'cancelled'; words: string | null; at: Date },
): Promise<void> {
  await db.query(
    `update ready_notice set state = $2, words = $3, ended_at = $4 where mail_id = $1 and state = 'queued'`,
    [mail_id, state, words, at.toISOString()],
  );
}

/**
 * Returns true if a due notice of the person (user_id) belongs to no mail. The person got access while the last mail was
 * being sent: its job has the same key, so `enqueueReadyMails` added none.
 */
export async function hasLateNotices(
  db: Db,
  { user_id, today }: { user_id: string; today: string },
): Promise<boolean> {
  const { rows } = await db.query(
    `select from ready_notice n join app_user u on u.id = n.user_id
     where u.user_id = $1 and n.state = 'queued' and n.due_on <= $2::date and not exists (
       select from job where kind = 'ready-mail' and key between $1 || ' ' and $1 || ' 9999'
         and state in ('waiting', 'running'))
     limit 1`,
    [user_id, today],
  );
  return rows.length > 0;
}

/** Cancels the notices of an upload, or of a person (app_user.id), whose mails are not sent yet (R-INV-03). */
export async function cancelNotices(
  db: Db,
  of: { import_id: string } | { user: string },
  words: string,
): Promise<void> {
  const [column, key] = 'import_id' in of ? ['import_id', of.import_id] : ['user_id', of.user];
  await db.query(
    `update ready_notice set state = 'cancelled', words = $2, ended_at = now() where ${column} = $1 and state = 'queued'`,
    [key, words],
  );
}

/** The time of the next mail is looked for among this many notices. */
const DUE_AMONG = 1_000;

/**
 * Returns when the next queued mail about the notices of a job is sent; null if all first notices wait for another mail
 * to the same person.
 */
export async function findMailsDue(db: Db, import_id: string): Promise<string | null> {
  const { rows } = await db.query<{ due_at: string | null }>(
    `select min(j.due_at) as due_at from (
       select user_id, due_on from ready_notice where import_id = $1 and state = 'queued' order by id limit $2
     ) n join app_user u on u.id = n.user_id
     join job j on j.kind = 'ready-mail' and j.key = u.user_id || ' ' || n.due_on and j.state = 'waiting'`,
    [import_id, DUE_AMONG],
  );
  return rows[0]?.due_at ?? null;
}

/** Returns the number of people for each state of the mails of an upload; null if the upload has no mails. */
export async function findReadyMails(db: Db, import_id: string): Promise<ReadyMails | null> {
  const { rows } = await db.query<{ state: string; people: number }>(
    `select state, count(distinct user_id)::int as people from ready_notice
     where import_id = $1 and state <> 'held' group by state`,
    [import_id],
  );
  if (rows.length === 0) return null;
  const people = Object.fromEntries(rows.map((row) => [row.state, row.people]));
  const { rows: refused } = await db.query<ReadyMails['refused'][number]>(
    `select u.email, n.words from ready_notice n join app_user u on u.id = n.user_id
     where n.import_id = $1 and n.state = 'failed' order by n.id limit $2`,
    [import_id, NAMED_REFUSED],
  );
  return { queued: 0, sent: 0, failed: 0, cancelled: 0, ...people, refused };
}
