// SQL of sign-in mails. Adds them to the job queue, and enforces a minimum time between two mails to the same address.
import type { Db } from '../db/database.ts';
import { type Claim, placeOf } from '../jobs/jobs.sql.ts';
import type { Challenge } from './pkce.ts';

export type SignInMail = Challenge & {
  create_user: boolean;
  redirect_to: string;
  /** Language tag of the mail, for example 'de'. */
  language: string;
};

/**
 * Enqueues a sign-in mail and returns the id of its job. Returns null if the last mail to the address was requested
 * after `since`. If an older mail to the address still waits in the queue, the new mail replaces it, because one mail is
 * enough. All this is one statement, so that only one of several concurrent requests enqueues a mail.
 */
export async function enqueueMail(
  db: Db,
  email: string,
  mail: SignInMail,
  { since, now }: { since: Date; now: Date },
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `with turn as (
       insert into auth_mail_window (email, mailed_at) values ($1, $2)
       on conflict (email) do update set mailed_at = excluded.mailed_at where auth_mail_window.mailed_at <= $3
       returning email
     )
     select enqueue_job('sign-in-mail', email, $4, $5, $6::jsonb, 'waiting', $2, $2, true) as id from turn`,
    [email, now.toISOString(), since.toISOString(), ...placeOf('sign-in-mail'), JSON.stringify(mail)],
  );
  return rows[0]?.id ?? null;
}

/**
 * Returns the time when a mail to the address was last enqueued, in ISO 8601. Returns null if no mail was enqueued. A time
 * that is still to come was written by a clock that was ahead: it is set to `now`, so that the interval begins now.
 */
export async function findLastMail(db: Db, email: string, now: Date): Promise<string | null> {
  const { rows } = await db.query<{ mailed_at: string }>(
    `with limited as (
       update auth_mail_window set mailed_at = $2 where email = $1 and mailed_at > $2
     )
     select least(mailed_at, $2) as mailed_at from auth_mail_window where email = $1`,
    [email, now.toISOString()],
  );
  return rows[0]?.mailed_at ?? null;
}

/** Deletes the waiting sign-in mail of an address from the job queue. */
export async function deleteMailOf(db: Db, email: string): Promise<void> {
  await db.query("delete from job where kind = 'sign-in-mail' and key = $1", [email]);
}

/**
 * Does the same for the address to which this link was mailed. A retry of the mail would make the link valid again. Call
 * this function before the transaction locks the link: whoever locks both locks the job of the mail first.
 */
export async function deleteMailOfLink(db: Db, link_hash: string): Promise<void> {
  await db.query(
    `delete from job where kind = 'sign-in-mail' and key in (
       select email from auth_one_time_token where link_hash = $1
       union all select email from auth_earlier_token where link_hash = $1)`,
    [link_hash],
  );
}

/** Locks the sign-in mail of an address, so that its link and code are not saved until the transaction ends. */
export async function lockMailOf(db: Db, email: string): Promise<void> {
  await db.query("select 1 from job where kind = 'sign-in-mail' and key = $1 order by id for update", [
    email,
  ]);
}

/** Locks the job of a mail until the transaction ends. Returns false if the mail was deleted or replaced meanwhile. */
export async function lockMail(db: Db, { id, claims }: Claim): Promise<boolean> {
  const { rows } = await db.query('select 1 from job where id = $1 and claims = $2 for update', [id, claims]);
  return rows.length > 0;
}
