// Starts, refreshes and ends sessions, and authenticates requests by their session.
import type { Db } from '../db/database.ts';
import { createSignInLine } from '../features/log/audit.sql.ts';
import { findStoredEmail } from '../features/people/addresses.sql.ts';
import { type AuthContext, findSessionEnds, moveTime } from './context.ts';
import { deleteMailOf, deleteOneTimeToken } from './mailed-link.sql.ts';
import { deleteCountsOf } from './purge-expired.sql.ts';
import {
  claimSession,
  createSession,
  deleteFlowStatesOfEmail,
  deleteOtherSessions,
  deleteSession,
  deleteSessionsOfEmail,
  deleteSessionsOfUser,
  hasSession,
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

/** A session for which tokens can be issued. `counter` is the counter of the current refresh token of the session. */
export type OpenSession = { user_id: string; session_id: string; counter: number; amr: Amr };

/**
 * Stores that a person has proved `email` with a mailed link or code: saves the user and the identity. Returns the
 * user's id. Call this function in the transaction that deletes the link or code.
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

/** Starts a session. `method` becomes the claim `amr` of its tokens (RFC 8176): otp (mail) or oauth (a provider). */
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
 * Returns the user whom the bearer token in the Authorization header `header` names.
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
 * Refreshes a session. Returns the session with the counter of its new refresh token. A token that was not used before
 * increments the counter.
 * A token that was used less than `reuseSeconds` ago does not increment the counter: the client may have missed the
 * first response, or two tabs may have refreshed at the same time. A token that was used longer ago ends the session,
 * because a thief may have the token (RFC 9700, 4.14.2).
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
    const { refreshedBefore, startedBefore } = findSessionEnds(settings, now);
    if (new Date(session.refreshed_at) < refreshedBefore || new Date(session.created_at) < startedBefore) {
      await deleteSession(tx, session.id);
      return 'ended';
    }
    const open = { user_id: session.user_id, session_id: session.id, amr: session.amr };
    // After an older backup is restored, the counter of a token can be higher than the stored counter. Such a token is
    // valid too.
    if (presented.counter >= session.refresh_counter) {
      const counter = presented.counter + 1;
      await setRefreshCounter(tx, session.id, counter, now);
      return { ...open, counter };
    }
    // The session stores the times of its last two refreshes only.
    const uses = [session.refreshed_at, session.previously_refreshed_at];
    const usedAt = uses[session.refresh_counter - 1 - presented.counter];
    if (usedAt && now <= moveTime(new Date(usedAt), settings.reuseSeconds)) {
      return { ...open, counter: session.refresh_counter };
    }
    await deleteSession(tx, session.id);
    const { user_id: auth_id, id: session_id } = session;
    await createSignInLine(tx, { auth_id, action: 'session.reuse', detail: { auth_id, session_id } });
    return 'reused';
  });
  // Throws after the transaction, because an error inside it would roll back the deletion of the session.
  if (result === 'gone') throw notFound();
  if (result === 'ended') throw authError(400, 'session_expired', 'Invalid Refresh Token: Session Expired');
  if (result === 'reused') {
    throw authError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used');
  }
  return result;
}

function notFound() {
  return authError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found');
}

/**
 * Ends all sessions of the user ('global'), the current session ('local'), or all other sessions ('others').
 * @throws validation_failed for another `scope`.
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

/** `sessions` is the number of ended sessions. `unlinked` is the number of removed identities at providers. */
type Revoked = { sessions: number; unlinked: number };

/**
 * Ends all sessions of the user with the address `email`, and makes mailed links and unfinished sign-ins invalid.
 * `unlink` also removes the user's identities at providers. Afterwards, an account at a provider can sign in as this
 * user only if the provider has verified the address `email`. Call this function in a transaction.
 */
export async function endSessionsOf(
  tx: Db,
  { email, unlink }: { email: string; unlink: boolean },
): Promise<Revoked> {
  // Deletes the sessions last. A concurrent sign-in with a mailed link has locked the row of the link. The deletion of
  // the link waits until that sign-in has created its session, so the session is deleted too.
  await deleteMailOf(tx, email);
  await deleteOneTimeToken(tx, email);
  await deleteFlowStatesOfEmail(tx, email);
  const unlinked = unlink ? await deleteProviderIdentities(tx, email) : 0;
  return { sessions: await deleteSessionsOfEmail(tx, email), unlinked };
}

/**
 * Closes the account of an address whose person gets another address. Deletes the sessions, mailed links, identities
 * and metadata of the account, so that they do not pass to the next person with this address. Call this function in a
 * transaction that has locked the person.
 */
export async function closeAccount(tx: Db, email: string): Promise<void> {
  await endSessionsOf(tx, { email, unlink: false });
  await deleteUser(tx, email);
}

/** Does the same as `closeAccount`, and deletes the counts of mails and wrong codes of the address (R-PRIV-03). */
export async function forgetAddress(tx: Db, email: string): Promise<void> {
  await closeAccount(tx, email);
  await deleteCountsOf(tx, email);
}

/** Runs `endSessionsOf` in a new transaction for the operator, and adds an audit line. */
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
