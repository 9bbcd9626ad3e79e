// Starts, refreshes and ends sessions, and authenticates requests by their session.
import type { Db } from '../db/database.ts';
import { findStoredEmail } from '../features/people/addresses.sql.ts';
import { createSignInLine } from './audit.sql.ts';
import { type AuthContext, findSessionEnds, moveTime } from './context.ts';
import { deleteMailOf, deleteOneTimeToken } from './mailed-link.sql.ts';
import {
  claimSession,
  createSession,
  deleteFlowStatesOfEmail,
  deleteOtherSessions,
  deleteSession,
  deleteSessionsOfEmail,
  deleteSessionsOfUser,
  hasSession,
  type SessionRow,
  setRefreshCounter,
} from './sessions.sql.ts';
import { type Amr, type Identity, readRefreshToken } from './tokens.ts';
import {
  acceptMailsAgain,
  deleteProviderIdentities,
  deleteUser,
  findUser,
  saveIdentity,
  saveUser,
  type UserRow,
} from './users.sql.ts';
import { authError } from './wire.ts';

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

/**
 * Returns the user that the Authorization header `header` names.
 * @throws no_authorization (401) without a bearer token.
 * @throws bad_jwt, user_not_found or session_not_found (403) if the token, its user or its session is not valid.
 */
export async function authenticate(
  { db, tokens }: AuthContext,
  header: string | undefined,
): Promise<{ identity: Identity; user: UserRow }> {
  const token = /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined) {
    throw authError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  const identity = await tokens.verify(token);
  if (identity === null) throw authError(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature');
  const user = await findUser(db, identity.auth_id);
  if (user === null) throw authError(403, 'user_not_found', 'User from sub claim in JWT does not exist');
  if (!(await hasSession(db, identity.session_id, user.id))) {
    throw authError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
  }
  return { identity, user };
}

/**
 * Returns the session with the counter of its new refresh token.
 * A token that was not used before increments the counter of the session.
 * A token that was used less than `reuseSeconds` ago does not increment the counter. The client may not have received
 * the first response, or two tabs may have refreshed at the same time.
 * A token that was used longer ago ends the session, because a thief may have the token (RFC 9700, 4.14.2). If the
 * session did not end, the thief and the owner could both keep using it.
 * @throws refresh_token_not_found.
 * @throws session_expired or refresh_token_already_used. The session has ended in both cases.
 */
export async function refreshSession(context: AuthContext, token: string): Promise<OpenSession> {
  const { db, secrets, settings } = context;
  const presented = readRefreshToken(secrets.refreshKey, token);
  if (presented === 'malformed') throw authError(400, 'validation_failed', 'Refresh token is not valid');
  if (presented === 'forged') throw notFound();
  const now = context.now();
  const result = await db.transaction(async (tx) => {
    const session = await claimSession(tx, presented.session_id);
    if (session === null) return 'gone';
    if (hasEnded(context, session, now)) {
      await deleteSession(tx, session.id);
      return 'ended';
    }
    const open = { user_id: session.user_id, session_id: session.id, amr: session.amr };
    // The token's counter can be higher than the stored counter, if the database was restored from a backup that is
    // older than the token. Such a token is valid too.
    if (presented.counter >= session.refresh_counter) {
      const counter = presented.counter + 1;
      await setRefreshCounter(tx, session.id, counter, now);
      return { ...open, counter };
    }
    const usedAt = findUse(session, presented.counter);
    if (usedAt && now <= moveTime(new Date(usedAt), settings.reuseSeconds)) {
      return { ...open, counter: session.refresh_counter };
    }
    await deleteSession(tx, session.id);
    const { user_id: auth_id, id: session_id } = session;
    await createSignInLine(tx, { auth_id, action: 'session.reuse', detail: { auth_id, session_id } });
    return 'reused';
  });
  // The errors are thrown after the transaction. An error inside the transaction would undo the deletion of the
  // session.
  if (result === 'gone') throw notFound();
  if (result === 'ended') throw authError(400, 'session_expired', 'Invalid Refresh Token: Session Expired');
  if (result === 'reused') {
    throw authError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  return result;
}

function hasEnded({ settings }: AuthContext, session: SessionRow, now: Date): boolean {
  const { refreshedBefore, startedBefore } = findSessionEnds(settings, now);
  return new Date(session.refreshed_at) < refreshedBefore || new Date(session.created_at) < startedBefore;
}

/**
 * Returns the time when the token with `counter` was used. That time is known only for the last two used tokens; for an
 * earlier token, returns null.
 */
function findUse(session: SessionRow, counter: number): string | null {
  const uses = [session.refreshed_at, session.previously_refreshed_at];
  return uses[session.refresh_counter - 1 - counter] ?? null;
}

function notFound() {
  return authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
}

/**
 * Ends the sessions of a user: all ('global'), the current one ('local'), or the other ones ('others'). @throws
 * validation_failed for another `scope`.
 */
export async function endSessions({ db }: AuthContext, identity: Identity, scope: string): Promise<void> {
  const { auth_id, session_id } = identity;
  await db.transaction(async (tx) => {
    if (scope === 'global') await deleteSessionsOfUser(tx, auth_id);
    else if (scope === 'local') await deleteSession(tx, session_id);
    else if (scope === 'others') await deleteOtherSessions(tx, auth_id, session_id);
    else throw authError(400, 'validation_failed', `Unsupported logout scope "${scope}"`);
    await createSignInLine(tx, { auth_id, action: 'session.end', detail: { auth_id, session_id, scope } });
  });
}

/** Number of sessions that were ended, and of identities at providers that were removed. */
type Revoked = { sessions: number; unlinked: number };

/**
 * Ends all sessions of the user with the address `email`. Makes links that were mailed to the address, and unfinished
 * sign-ins, invalid. `unlink` also removes the user's identities at providers. After that, a provider's account can
 * sign in as this user only if the provider has verified the same address. Call this function in a transaction.
 */
export async function endSessionsOf(
  tx: Db,
  { email, unlink }: { email: string; unlink: boolean },
): Promise<Revoked> {
  // Sessions are deleted last, because a concurrent sign-in may be using the mailed link now. That sign-in has locked
  // the link's row. So deleting the link waits until that sign-in has created its session, and the session is then
  // deleted too.
  await deleteMailOf(tx, email);
  await deleteOneTimeToken(tx, email);
  await deleteFlowStatesOfEmail(tx, email);
  const unlinked = unlink ? await deleteProviderIdentities(tx, email) : 0;
  return { sessions: await deleteSessionsOfEmail(tx, email), unlinked };
}

/**
 * Ends the account of an address that belongs to nobody any more, because the person got another address: sessions,
 * mailed links, identities and metadata. So neither the next holder of the address nor the old sign-in gets anything of
 * the other. Call this function in a transaction that has locked the person.
 */
export async function closeAccount(tx: Db, email: string): Promise<void> {
  await endSessionsOf(tx, { email, unlink: false });
  await deleteUser(tx, email);
}

/**
 * Does the same as `endSessionsOf` for the operator, in a transaction and with an audit line. The function needs only
 * the database, because the operator's command-line tool runs it without the sign-in service.
 */
export async function revokeSessions(
  { db }: Pick<AuthContext, 'db'>,
  { email: typed, unlink }: { email: string; unlink: boolean },
): Promise<Revoked> {
  return db.transaction(async (tx) => {
    const email = await findStoredEmail(tx, typed.trim().toLowerCase());
    const { sessions, unlinked } = await endSessionsOf(tx, { email, unlink });
    const detail = { email, sessions, unlinked };
    await createSignInLine(tx, { email, actor: 'operator', action: 'session.revoke', detail });
    return { sessions, unlinked };
  });
}
