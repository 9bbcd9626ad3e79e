// Signs a user out: ends the current session, all other sessions, or all sessions.
import type { Db } from '../db/database.ts';
import { findStoredEmail } from '../features/people/stored-emails.sql.ts';
import type { Identity } from './access-tokens.ts';
import { createSignInLine } from './audit.sql.ts';
import { authError } from './auth-error.ts';
import type { AuthContext } from './context.ts';
import { deleteFlowStatesOfEmail } from './flow-states.sql.ts';
import { deleteMailOf } from './mails.sql.ts';
import { deleteOneTimeToken } from './one-time-tokens.sql.ts';
import {
  deleteOtherSessions,
  deleteSession,
  deleteSessionsOfEmail,
  deleteSessionsOfUser,
} from './sessions.sql.ts';
import { deleteProviderIdentities, deleteUser } from './users.sql.ts';

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
export type Revoked = { sessions: number; unlinked: number };

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
