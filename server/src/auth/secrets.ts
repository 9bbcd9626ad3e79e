// Derives keys from SECRET_KEY, creates random tokens, and hashes tokens for the database.
import { createHash, createHmac, hkdfSync, randomBytes, randomInt, randomUUID } from 'node:crypto';

/** One key for each purpose, so that a value made for one purpose is not valid for another. */
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

/** Derives the keys of the service (HKDF, RFC 5869). */
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

/** Returns SHA-256 in hex. That is enough for tokens of at least 122 random bits, which cannot be guessed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Returns the keyed hash of a six-digit code. An unkeyed hash could be reversed with a million tries. */
export function hashCode(secrets: Secrets, email: string, code: string): string {
  return createHmac('sha256', secrets.codeKey).update(`${email}\n${code}`).digest('hex');
}

/** Returns a link token of 256 random bits. As in Supabase Auth, its prefix marks a request with PKCE. */
export function createLinkToken(withPkce: boolean): string {
  return `${withPkce ? PKCE_PREFIX : ''}${randomBytes(LINK_BYTES).toString('base64url')}`;
}

/** Returns a random six-digit code. */
export function createCode(): string {
  return String(randomInt(CODE_COUNT)).padStart(6, '0');
}

/** Returns a code that a client exchanges for a session (PKCE). */
export function createAuthCode(): string {
  return randomUUID();
}
