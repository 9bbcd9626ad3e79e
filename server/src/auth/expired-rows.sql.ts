// Deletes expired rows of the sign-in service, with one statement for each table.
import type { Db } from '../db/database.ts';

/** Deletes expired links and codes. */
export async function deleteExpiredTokens(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_one_time_token where expires_at <= $1', [now.toISOString()]);
}

/** Deletes sign-ins at a provider, and PKCE codes, that expired before they were used. */
export async function deleteExpiredFlows(db: Db, now: Date): Promise<void> {
  await db.query('delete from auth_flow_state where expires_at <= $1', [now.toISOString()]);
}

/**
 * Deletes the rows that delay the next mail to an address, if the last mail to that address was sent before `before`.
 */
export async function deleteMailWindows(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_mail_window where mailed_at < $1', [before.toISOString()]);
}

/** Deletes counts of wrong codes that began before `before`. */
export async function deleteWrongCodes(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_wrong_code where since < $1', [before.toISOString()]);
}
