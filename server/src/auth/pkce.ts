// PKCE (RFC 7636): a client sends a challenge when it starts a sign-in, and later the verifier together with a code.
// Only the client that started the sign-in knows the verifier, so only this client gets a session for the code.
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Db } from '../db/database.ts';
import { type AuthContext, moveTime } from './context.ts';
import { hashToken } from './secrets.ts';
import { claimExchange, createFlowState, deleteFlowState, type ProviderFlow } from './sessions.sql.ts';
import { type OpenSession, startSession } from './sessions.ts';
import { authError } from './wire.ts';

/** A client's challenge. Both fields are null if the client does not use PKCE. */
export type Challenge = {
  code_challenge: string | null;
  code_challenge_method: 's256' | 'plain' | null;
};

const CHALLENGE = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Returns the challenge in a request. Both fields are null if the request has no challenge.
 * @throws validation_failed if only one of the two parameters is given, or one is malformed.
 */
export function readChallenge(challenge?: string | null, method?: string | null): Challenge {
  if (!challenge && !method) return { code_challenge: null, code_challenge_method: null };
  const known = method?.toLowerCase();
  if (!challenge || !known) {
    throw authError(
      400,
      'validation_failed',
      'PKCE flow requires code_challenge_method and code_challenge parameters',
    );
  }
  if (known !== 's256' && known !== 'plain') {
    throw authError(400, 'validation_failed', 'Invalid code_challenge_method');
  }
  if (!CHALLENGE.test(challenge)) {
    throw authError(
      400,
      'validation_failed',
      'code challenge has to be between 43 and 128 characters of A-Z, a-z, 0-9, -, ., _ and ~',
    );
  }
  return { code_challenge: challenge, code_challenge_method: known };
}

function isVerifierOf(verifier: string, challenge: Challenge): boolean {
  const shown =
    challenge.code_challenge_method === 's256'
      ? createHash('sha256').update(verifier).digest('base64url')
      : verifier;
  const [left, right] = [Buffer.from(shown), Buffer.from(challenge.code_challenge ?? '')];
  return left.length === right.length && left.length > 0 && timingSafeEqual(left, right);
}

const EXCHANGE_SECONDS = 300;

/** Creates and returns a PKCE code. The user of `flow` must have proved the e-mail address. */
export async function offerExchange(
  tx: Db,
  flow: ProviderFlow & { user_id: string },
  now: Date,
): Promise<string> {
  const auth_code = randomUUID();
  const expires_at = moveTime(now, EXCHANGE_SECONDS);
  await createFlowState(tx, { ...flow, state_hash: null, auth_code_hash: hashToken(auth_code), expires_at });
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
