// Deletes expired rows, one statement per table.
import type { Db } from '../../db/database.ts';

/** Deletes expired links and codes. */
export async function deleteExpiredTokens(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_one_time_token where expires_at <= $1', [now.toISOString()]);
}

/** Deletes sign-ins that were not finished in time. */
export async function deleteExpiredFlows(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_flow_state where expires_at <= $1', [now.toISOString()]);
}

/** Deletes times of mails that no longer delay another mail. */
export async function deleteMailWindows(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_mail_window where mailed_at < $1', [before.toISOString()]);
}

/** Deletes counts of wrong codes that are older than a day. */
export async function deleteWrongCodes(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_wrong_code where since < $1', [before.toISOString()]);
}
