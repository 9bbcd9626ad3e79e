// Binds a sign-in at a provider to the browser that started it. The browser gets a cookie, and secret values are
// derived from that cookie.
import { createHmac, randomBytes } from 'node:crypto';
import { hashToken, type Secrets } from './secrets.ts';

/** Time limit for signing in at the provider. */
export const PROVIDER_FLOW_SECONDS = 600;

const RANDOM_BYTES = 32;
// Matches 32 bytes in base64url.
const RANDOM_TEXT = /^[\w-]{43}$/;

/** Returns 256 random bits as base64url, for OAuth's `state` or for the browser's cookie. */
export function createRandomText(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** True if `text` has the format of `createRandomText`. */
export function isRandomText(text: string | undefined): text is string {
  return text !== undefined && RANDOM_TEXT.test(text);
}

/**
 * Returns the hash of a sign-in's state and cookie. The sign-in's row in the database is found by this hash. Only the
 * browser that started the sign-in has both the state and the cookie.
 */
export function hashFlow(state: string, browser: string): string {
  return hashToken(`${state}.${browser}`);
}

/**
 * Derives the PKCE verifier and the nonce of a sign-in from its state and cookie. The callback derives the same values
 * again, so the database stores neither.
 */
export function deriveChecks({ flowKey }: Secrets, state: string, browser: string) {
  const derive = (purpose: string) =>
    createHmac('sha256', flowKey).update(`${purpose}\n${state}\n${browser}`).digest('base64url');
  return { state, verifier: derive('verifier'), nonce: derive('nonce') };
}
