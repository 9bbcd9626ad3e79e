// What time has made worthless, one statement a table.
import type { Db } from '../../db/database.ts';

/** Links and codes past their life. */
export async function deleteExpiredTokens(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_one_time_token where expires_at <= $1', [now.toISOString()]);
}

/** Sign-ins that were never finished. */
export async function deleteExpiredFlows(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_flow_state where expires_at <= $1', [now.toISOString()]);
}

/** Times of mails that no longer hold back another. */
export async function deleteMailWindows(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_mail_window where mailed_at < $1', [before.toISOString()]);
}

/** Counts of wrong codes whose day is over. */
export async function deleteWrongCodes(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_wrong_code where since < $1', [before.toISOString()]);
}
