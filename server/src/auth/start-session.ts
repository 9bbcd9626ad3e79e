// Starts a session for a user who has proved the e-mail address.
import type { Db } from '../db/database.ts';
import type { Amr } from './access-tokens.ts';
import { createSignInLine } from './audit.sql.ts';
import { createSession } from './sessions.sql.ts';
import { acceptMailsAgain, saveIdentity, saveUser } from './users.sql.ts';

/** A session for which tokens are issued. `counter` is the counter of its current refresh token. */
export type OpenSession = { user_id: string; session_id: string; counter: number; amr: Amr };

/**
 * Stores that a person has proved `email` by using a mailed link or code. Returns the user's id. Call this function in
 * the transaction that deletes the link or code.
 */
export async function confirmEmail(tx: Db, email: string, now: Date): Promise<string> {
  const user_id = await saveUser(tx, email, now);
  const identity_data = { sub: user_id, email, email_verified: true, phone_verified: false };
  await saveIdentity(
    tx,
    { user_id, provider: 'email', issuer: '', provider_id: user_id, identity_data },
    now,
  );
  await acceptMailsAgain(tx, email);
  return user_id;
}

/**
 * Starts a session. `method` is the sign-in method for the claim `amr` (RFC 8176): otp (mail) or oauth (a provider).
 */
export async function startSession(
  tx: Db,
  { user_id, method }: { user_id: string; method: 'otp' | 'oauth' },
  now: Date,
): Promise<OpenSession> {
  const amr = [{ method, timestamp: Math.floor(now.getTime() / 1000) }];
  const session_id = await createSession(tx, user_id, amr, now);
  const detail = { auth_id: user_id, session_id, method };
  await createSignInLine(tx, { auth_id: user_id, action: 'session.start', detail });
  return { user_id, session_id, counter: 0, amr };
}
