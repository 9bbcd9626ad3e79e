// PKCE (RFC 7636): checks the challenge that a client sends first, and the verifier that it sends later.
import { createHash, timingSafeEqual } from 'node:crypto';
import { authError } from './auth-error.ts';

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

/** True if `challenge` was made from `verifier`. */
export function isVerifierOf(verifier: string, challenge: Challenge): boolean {
  const shown =
    challenge.code_challenge_method === 's256'
      ? createHash('sha256').update(verifier).digest('base64url')
      : verifier;
  const [left, right] = [Buffer.from(shown), Buffer.from(challenge.code_challenge ?? '')];
  return left.length === right.length && left.length > 0 && timingSafeEqual(left, right);
}
