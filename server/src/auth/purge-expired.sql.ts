// SQL that deletes expired rows of the sign-in service.
import type { Db } from '../db/database.ts';

/** Deletes expired links and codes of mails, expired sign-ins at a provider, and expired PKCE codes. */
export async function deleteExpiredTokens(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_one_time_token where expires_at <= $1', [now.toISOString()]);
  await db.query('delete from auth_flow_state where expires_at <= $1', [now.toISOString()]);
}

/** Deletes the rows that delay the next mail to an address, if the last mail was earlier than `before`. */
export async function deleteMailWindows(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_mail_window where mailed_at < $1', [before.toISOString()]);
}

/** Deletes counts of wrong codes that started before `before`. */
export async function deleteWrongCodes(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_wrong_code where since < $1', [before.toISOString()]);
}

/** Deletes the counts of mails to an address and of wrong codes for it, and its place in the former queue of mails. */
export async function deleteCountsOf(db: Db, email: string): Promise<void> {
  await db.query('delete from auth_mail_window where email = $1', [email]);
  await db.query('delete from auth_wrong_code where email = $1', [email]);
  await db.query('delete from auth_mail where email = $1', [email]);
  await db.query("delete from auth_rate where key = 'mail:' || $1", [email]);
}

/** The longest lifetimes in seconds: of mailed links, of sign-ins at a provider, and of counts for the rate limits. */
type Lifetimes = { linkSeconds: number; flowSeconds: number; rateSeconds: number };

/**
 * Corrects times that a clock which was ahead has written: sets each time that is later than possible to the latest
 * possible time. Otherwise a link would stay valid for days after the clock was corrected, and an address would get no
 * mail for days.
 */
export async function limitTimesAhead(
  db: Db,
  { linkSeconds, flowSeconds, rateSeconds }: Lifetimes,
  now: Date,
): Promise<void> {
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
  await db.query('update auth_one_time_token set expires_at = $1 where expires_at > $1', [
    after(linkSeconds),
  ]);
  await db.query('update auth_earlier_token set expires_at = $1 where expires_at > $1', [after(linkSeconds)]);
  await db.query('update auth_flow_state set expires_at = $1 where expires_at > $1', [after(flowSeconds)]);
  await db.query('update auth_rate set expire = $1 where expire > $1', [Date.parse(after(rateSeconds))]);
  await db.query('update auth_mail_window set mailed_at = $1 where mailed_at > $1', [after(0)]);
  await db.query('update auth_wrong_code set since = $1 where since > $1', [after(0)]);
  await db.query('update auth_signing_key set retired_at = $1 where retired_at > $1', [after(0)]);
  await db.query(
    `update auth_session set created_at = least(created_at, $1), refreshed_at = least(refreshed_at, $1),
       previously_refreshed_at = least(previously_refreshed_at, $1)
     where created_at > $1 or refreshed_at > $1 or previously_refreshed_at > $1`,
    [after(0)],
  );
}
