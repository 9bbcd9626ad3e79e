// SQL of sign-in by mail: the mails in the job queue, the hashes of their links and codes, and the counts of wrong
// codes.
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
 * Enqueues a sign-in mail and returns the id of its job. Returns null if another mail to the address was enqueued after
 * `since`. The new mail replaces an older mail that still waits in the queue. This is one statement, so that only one
 * of several concurrent requests enqueues a mail.
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
 * Returns the time when the last mail to the address was enqueued, in ISO 8601; null if there was none. A stored time
 * later than `now` comes from a clock that was ahead, so it is set to `now`.
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
 * Deletes the waiting sign-in mail of the address to which this link was mailed. Otherwise a retry of the mail would
 * make the used link valid again.
 * Call this function before a statement that locks the link. All transactions lock the job first and the link second,
 * which prevents deadlocks.
 */
export async function deleteMailOfLink(db: Db, link_hash: string): Promise<void> {
  await db.query(
    `delete from job where kind = 'sign-in-mail' and key in (
       select email from auth_one_time_token where link_hash = $1
       union all select email from auth_earlier_token where link_hash = $1)`,
    [link_hash],
  );
}

/** Locks the job of the sign-in mail to `email` until the transaction ends, so that the job saves no new link. */
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

export type OneTimeToken = Challenge & {
  email: string;
  link_hash: string;
  code_hash: string;
  /** False if no mail was sent, because no user has the address. Both hashes are then hashes of random values. */
  mailed: boolean;
  expires_at: Date;
};
type SpentToken = Challenge & { email: string };

/**
 * Stores the hashes of a link and a code. Earlier links and codes of the address stay valid if they expire at
 * `keepFrom` or later. At most three links of one address are valid at a time (R-MAP-32). A retry of a mail stores the
 * same link again: this changes the time of expiry, but does not reset the count of attempts at the code.
 */
export async function saveOneTimeToken(db: Db, token: OneTimeToken, keepFrom: Date): Promise<void> {
  const { email, link_hash, code_hash, code_challenge, code_challenge_method, mailed, expires_at } = token;
  await db.query(
    `with before as (
       select * from auth_one_time_token where email = $1 for update
     ), kept as (
       insert into auth_earlier_token (link_hash, email, code_hash, code_tries, code_challenge, code_challenge_method, expires_at)
       select link_hash, email, code_hash, code_tries, code_challenge, code_challenge_method, expires_at from before
       where mailed and link_hash <> $2 and expires_at >= $8
       on conflict do nothing returning 1
     ), moved as materialized (
       select count(*) as mails from kept
     ), ended as (
       delete from auth_earlier_token where email = $1 and (expires_at < $8 or link_hash = $2
         or link_hash in (select link_hash from auth_earlier_token where email = $1
           order by expires_at desc, link_hash offset 2 - (select mails from moved)))
     )
     insert into auth_one_time_token as t
       (code_tries, email, link_hash, code_hash, code_challenge, code_challenge_method, mailed, expires_at)
     -- \`code_tries\` is 0. PostgreSQL may run the parts of a statement in any order, unless one part reads another.
     -- Reading \`moved\` here copies the earlier row to auth_earlier_token before this insert overwrites the row.
     values ((select 0 * mails from moved), $1, $2, $3, $4, $5, $6, $7)
     on conflict (email) do update set
       code_tries = case when t.link_hash = excluded.link_hash then t.code_tries else 0 end,
       link_hash = excluded.link_hash, code_hash = excluded.code_hash, code_challenge = excluded.code_challenge,
       code_challenge_method = excluded.code_challenge_method, mailed = excluded.mailed, expires_at = excluded.expires_at`,
    [
      email,
      link_hash,
      code_hash,
      code_challenge,
      code_challenge_method,
      mailed,
      expires_at,
      keepFrom.toISOString(),
    ],
  );
}

/** True if a link was mailed to the address, has not been used and has not expired. */
export async function hasMailedToken(db: Db, email: string, now: Date): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from auth_one_time_token where email = $1 and mailed and expires_at > $2',
    [email, now.toISOString()],
  );
  return rows.length > 0;
}

/**
 * Deletes all links and codes of the address to which this link was mailed. Returns the address and the PKCE challenge
 * of the link; null if the link is unknown, used or expired. Of two concurrent calls, one gets null.
 */
export async function spendLink(db: Db, link_hash: string, now: Date): Promise<SpentToken | null> {
  const { rows } = await db.query<SpentToken>(
    `with used as (
       select email, code_challenge, code_challenge_method from auth_one_time_token
       where link_hash = $1 and expires_at > $2
       union all
       select email, code_challenge, code_challenge_method from auth_earlier_token
       where link_hash = $1 and expires_at > $2
     )
     delete from auth_one_time_token t using used where t.email = used.email
     returning t.email, used.code_challenge, used.code_challenge_method`,
    [link_hash, now.toISOString()],
  );
  return rows[0] ?? null;
}

/**
 * Returns the hashes of the codes of an address that have not expired and had fewer than `maxTries` attempts. Counts an
 * attempt for each of these codes before the caller compares them, so that concurrent attempts cannot exceed the limit.
 * Locks the row of the address until the transaction ends.
 */
export async function claimCodeTries(db: Db, email: string, maxTries: number, now: Date): Promise<string[]> {
  await db.query('select from auth_one_time_token where email = $1 for update', [email]);
  const { rows } = await db.query<{ code_hash: string }>(
    `with newest as (
       update auth_one_time_token set code_tries = code_tries + 1
       where email = $1 and code_tries < $2 and expires_at > $3 returning code_hash
     ), earlier as (
       update auth_earlier_token set code_tries = code_tries + 1
       where email = $1 and code_tries < $2 and expires_at > $3 returning code_hash
     )
     select code_hash from newest union all select code_hash from earlier`,
    [email, maxTries, now.toISOString()],
  );
  return rows.map(({ code_hash }) => code_hash);
}

/** Deletes the links and the codes of an address. */
export async function deleteOneTimeToken(db: Db, email: string): Promise<void> {
  await db.query('delete from auth_one_time_token where email = $1', [email]);
}

/**
 * Returns how many wrong codes were typed for an address; 0 if the count started before `since`. A start later than
 * `now` comes from a clock that was ahead, so it is set to `now`.
 */
export async function countWrongCodes(db: Db, email: string, since: Date, now: Date): Promise<number> {
  const { rows } = await db.query<{ wrong: number }>(
    `with limited as (
       update auth_wrong_code set since = $3 where email = $1 and since > $3
     )
     select wrong from auth_wrong_code where email = $1 and since > $2`,
    [email, since.toISOString(), now.toISOString()],
  );
  return rows[0]?.wrong ?? 0;
}

/** Counts a wrong code of an address. If the count started before `since`, a new count starts at 1. */
export async function addWrongCode(db: Db, email: string, since: Date, now: Date): Promise<void> {
  await db.query(
    `insert into auth_wrong_code (email, since, wrong) values ($1, $3, 1)
     on conflict (email) do update set
       wrong = case when auth_wrong_code.since > $2 then auth_wrong_code.wrong + 1 else 1 end,
       since = case when auth_wrong_code.since > $2 then auth_wrong_code.since else $3 end`,
    [email, since.toISOString(), now.toISOString()],
  );
}
