// Exchanges a code for a session (PKCE, RFC 7636): only for the client that asked for the sign-in.
import { authError } from '../auth-error.ts';
import type { AuthContext } from '../context.ts';
import { isVerifierOf } from '../pkce.ts';
import { hashToken } from '../secrets.ts';
import { claimExchange, deleteFlowState } from '../stores/flow-states.ts';
import { type OpenSession, startSession } from './start-session.ts';

/**
 * A wrong verifier does not use the code up.
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
    return startSession(tx, { user_id: exchange.user_id, method: 'otp' }, now());
  });
}
