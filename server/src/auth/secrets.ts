// Keys derived from SECRET_KEY, random tokens, and the hashes under which tokens are stored.
import { createHash, createHmac, hkdfSync, randomBytes, randomInt, randomUUID } from 'node:crypto';

/** One key a purpose, so that none can stand in for another. */
export type Secrets = {
  sealKey: Buffer;
  codeKey: Buffer;
  refreshKey: Buffer;
  flowKey: Buffer;
};

const KEY_BYTES = 32;
const LINK_BYTES = 32;
const CODE_COUNT = 1_000_000;
const PKCE_PREFIX = 'pkce_';

/** Derives the service's keys (HKDF, RFC 5869). */
export function deriveSecrets(secretKey: Buffer): Secrets {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `portal sign-in: ${purpose}`, KEY_BYTES));
  return {
    sealKey: derive('signing keys at rest'),
    codeKey: derive('mailed codes'),
    refreshKey: derive('refresh tokens'),
    flowKey: derive('sign-ins at a provider'),
  };
}

/** SHA-256 in hex: enough for tokens of 122 random bits and more, which cannot be guessed back. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The hash of a six-digit code, keyed: without the key a million tries would find it. */
export function hashCode(secrets: Secrets, email: string, code: string): string {
  return createHmac('sha256', secrets.codeKey).update(`${email}\n${code}`).digest('hex');
}

/** A link token of 256 random bits; the prefix says that the client asked for PKCE, as in Supabase Auth. */
export function createLinkToken(withPkce: boolean): string {
  return `${withPkce ? PKCE_PREFIX : ''}${randomBytes(LINK_BYTES).toString('base64url')}`;
}

/** Six random digits. */
export function createCode(): string {
  return String(randomInt(CODE_COUNT)).padStart(6, '0');
}

/** A code to be exchanged for a session (PKCE). */
export function createAuthCode(): string {
  return randomUUID();
}
