// What ties a provider's answer to the browser that left for it: a cookie, and values that follow from it.
import { createHmac, randomBytes } from 'node:crypto';
import { hashToken, type Secrets } from './secrets.ts';

/** How long somebody may take to sign in at the provider. */
export const PROVIDER_FLOW_SECONDS = 600;

const RANDOM_BYTES = 32;
// 32 bytes in base64url.
const RANDOM_TEXT = /^[\w-]{43}$/;

/** 256 random bits: a state, or the value of a browser's cookie. */
export function createRandomText(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** True for what `createRandomText` may have made. */
export function isRandomText(text: string | undefined): text is string {
  return text !== undefined && RANDOM_TEXT.test(text);
}

/** Under this a flow is stored: it is found only by the state together with the cookie of the browser that began it. */
export function hashFlow(state: string, browser: string): string {
  return hashToken(`${state}.${browser}`);
}

/** PKCE's verifier and the nonce of a flow, made anew when the answer comes, so that neither is stored. */
export function deriveChecks({ flowKey }: Secrets, state: string, browser: string) {
  const derive = (purpose: string) =>
    createHmac('sha256', flowKey).update(`${purpose}\n${state}\n${browser}`).digest('base64url');
  return { state, verifier: derive('verifier'), nonce: derive('nonce') };
}
