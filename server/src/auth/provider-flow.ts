// Binds a provider's response to the browser that started the sign-in, by a cookie and values derived from it.
import { createHmac, randomBytes } from 'node:crypto';
import { hashToken, type Secrets } from './secrets.ts';

/** Time limit for signing in at the provider. */
export const PROVIDER_FLOW_SECONDS = 600;

const RANDOM_BYTES = 32;
// 32 bytes in base64url.
const RANDOM_TEXT = /^[\w-]{43}$/;

/** Returns 256 random bits as text, for a state or the cookie of a browser. */
export function createRandomText(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** True for text in the format of `createRandomText`. */
export function isRandomText(text: string | undefined): text is string {
  return text !== undefined && RANDOM_TEXT.test(text);
}

/**
 * Returns the hash under which a sign-in is stored. To find it, one needs the state and the cookie of the browser that
 * started it.
 */
export function hashFlow(state: string, browser: string): string {
  return hashToken(`${state}.${browser}`);
}

/** Derives the PKCE verifier and the nonce of a sign-in. The response derives both again, so neither is stored. */
export function deriveChecks({ flowKey }: Secrets, state: string, browser: string) {
  const derive = (purpose: string) =>
    createHmac('sha256', flowKey).update(`${purpose}\n${state}\n${browser}`).digest('base64url');
  return { state, verifier: derive('verifier'), nonce: derive('nonce') };
}
