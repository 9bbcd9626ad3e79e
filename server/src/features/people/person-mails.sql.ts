// Reads the mails to one person: from the audit log, and those that still wait from the job queue.
import { AUDIT_LOOKED_AT } from '@portal/contract';
import type { Db } from '../../db/database.ts';

/** An audit line about a mail. `job` is the id of its job; null for a mail that is no job. */
export type MailEvent = {
  id: string;
  at: string;
  actor: string;
  action: string;
  job: string | null;
  kind: string;
  words: string | null;
  product_id: string | null;
  product_name: string | null;
};

/** Returns the last audit lines about mails to a user (app_user.id), newest first. */
export async function listMailEvents(db: Db, user: string, limit: number): Promise<MailEvent[]> {
  const { rows } = await db.query<MailEvent>(
    `select a.id, a.at, a.actor, a.action, a.detail ->> 'id' as job, coalesce(a.detail ->> 'kind', '') as kind,
       a.detail ->> 'words' as words, a.product_id, p.name as product_name
     from (select * from audit where user_id = $1 order by id desc limit ${AUDIT_LOOKED_AT}) a
     left join product p on p.product_id = a.product_id
     where a.action in ('mail.queue', 'mail.send', 'mail.retry', 'mail.fail', 'mail.bounce')
     order by a.id desc limit $2`,
    [user, limit],
  );
  return rows;
}

/** A mail that is not sent yet. `kind` is the kind of the job. `reason` is why the last try failed, or null. */
export type WaitingMail = {
  id: string;
  kind: string;
  created_at: string;
  reason: string | null;
  product_id: string | null;
  product_name: string | null;
};

// A job of a sign-in mail has the address as its key, the other jobs have it in `about`.
const TO_ADDRESS = `(j.kind = 'sign-in-mail' and j.key = $1
  or j.kind in ('code-mail', 'ready-mail', 'team-mail', 'stock-mail', 'notice-mail') and j.data ->> 'about' = $1)`;

// False for a mail about benefits that has nothing to tell any more, because the upload was stopped or taken back
// (R-INV-03). Its key ends with the day from which the notices count, or with the time of a later try. In the portal's
// time zone, the day of this time may be the next one. A failed mail that staff try again takes its notices up again.
const HAS_NOTICE = `(j.kind <> 'ready-mail' or j.state = 'running' or exists (
  select from ready_notice n join app_user u on u.id = n.user_id
  where u.email = $1 and (n.mail_id = j.id and n.state in ('queued', 'failed') or n.state = 'queued' and n.due_on <=
    left(split_part(j.key, ' ', 2), 10)::date + case when split_part(j.key, ' ', 2) like '%T%' then 1 else 0 end)))`;

/** Returns the mails to an address that wait or are being sent, newest first. */
export async function listWaitingMails(db: Db, email: string): Promise<WaitingMail[]> {
  const { rows } = await db.query<WaitingMail>(
    `select j.id, j.kind, j.created_at, j.reason, p.product_id, p.name as product_name
     from job j left join product p on p.product_id = (j.data ->> 'product_id')::uuid
     where ${TO_ADDRESS} and j.state in ('waiting', 'running') and ${HAS_NOTICE} order by j.created_at desc, j.id desc`,
    [email],
  );
  return rows;
}

/** Deletes the unsent mails to an address, and returns those that no process is sending now. */
export async function deleteMailsTo(
  db: Db,
  email: string,
): Promise<{ id: string; kind: string; product_id: string | null }[]> {
  const { rows } = await db.query<{ id: string; kind: string; product_id: string | null; state: string }>(
    `delete from job j where ${TO_ADDRESS} and j.state <> 'cancelled'
     returning j.id, j.kind, j.state, j.data ->> 'product_id' as product_id`,
    [email],
  );
  return rows.filter(({ state }) => state === 'waiting');
}

/**
 * Returns the seconds until the next mail about a code of this product may be sent to the user (app_user.id); 0 if it may
 * be sent now. The audit log counts, so the limit also holds after a restart. The caller must have locked the user.
 */
export async function countSecondsToCodeMail(
  db: Db,
  { user, product_id, minutes }: { user: string; product_id: string; minutes: number },
): Promise<number> {
  const { rows } = await db.query<{ seconds: number }>(
    `select ceil(extract(epoch from at + make_interval(mins => $3) - now()))::int as seconds
     from (select * from audit where user_id = $1 order by id desc limit ${AUDIT_LOOKED_AT}) a
     where action = 'mail.queue' and product_id = $2 and detail ->> 'kind' = 'code'
     order by id desc limit 1`,
    [user, product_id, minutes],
  );
  return Math.max(0, rows[0]?.seconds ?? 0);
}
