// Exchanges a PKCE code for a session (RFC 7636). Only the client that started the sign-in has the verifier that
// belongs to the code.
import type { Db } from '../db/database.ts';
import { authError } from './auth-error.ts';
import { type AuthContext, moveTime } from './context.ts';
import { claimExchange, createExchange, deleteFlowState, type ProviderFlow } from './flow-states.sql.ts';
import { isVerifierOf } from './pkce.ts';
import { createAuthCode, hashToken } from './secrets.ts';
import { type OpenSession, startSession } from './start-session.ts';

const EXCHANGE_SECONDS = 300;

/**
 * Creates and returns a PKCE code for a user who has proved the e-mail address. The client that started the sign-in
 * exchanges the code for a session.
 */
export async function offerExchange(
  tx: Db,
  {
    provider,
    redirect_to,
    code_challenge,
    code_challenge_method,
    user_id,
  }: ProviderFlow & { user_id: string },
  now: Date,
): Promise<string> {
  const auth_code = createAuthCode();
  await createExchange(tx, {
    provider,
    redirect_to,
    code_challenge,
    code_challenge_method,
    user_id,
    auth_code_hash: hashToken(auth_code),
    expires_at: moveTime(now, EXCHANGE_SECONDS),
  });
  return auth_code;
}

/**
 * Exchanges a code for a new session. After a wrong verifier, the code can still be used.
 * @throws flow_state_not_found, flow_state_expired or bad_code_verifier.
 */
export async function exchangeCode(
  { db, now }: AuthContext,
  { auth_code, code_verifier }: { auth_code: string; code_verifier: string },
): Promise<OpenSession> {
  return db.transaction(async (tx) => {
    const exchange = await claimExchange(tx, hashToken(auth_code));
    if (exchange === null) {
      throw authError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
    }
    if (new Date(exchange.expires_at) <= now()) {
      throw authError(422, 'flow_state_expired', 'invalid flow state, flow state has expired');
    }
    if (!isVerifierOf(code_verifier, exchange)) {
      throw authError(
        400,
        'bad_code_verifier',
        'code challenge does not match previously saved code verifier',
      );
    }
    await deleteFlowState(tx, exchange.id);
    const method = exchange.provider === 'email' ? 'otp' : 'oauth';
    return startSession(tx, { user_id: exchange.user_id, method }, now());
  });
}
