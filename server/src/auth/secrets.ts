// Derives keys from SECRET_KEY, creates random tokens, and hashes tokens for the database.
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const RANDOM_BYTES = 32;
const CODE_COUNT = 1_000_000n;
const PKCE_PREFIX = 'pkce_';

export type Secrets = ReturnType<typeof deriveSecrets>;

/**
 * Derives the keys of the service from SECRET_KEY (HKDF, RFC 5869). There is one key for each purpose, so that a value
 * of one purpose is invalid for another purpose.
 */
export function deriveSecrets(secretKey: Buffer) {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `portal sign-in: ${purpose}`, KEY_BYTES));
  return {
    sealKey: derive('signing keys at rest'),
    codeKey: derive('mailed codes'),
    mailKey: derive('links and codes of a mail'),
    refreshKey: derive('refresh tokens'),
    flowKey: derive('sign-ins at a provider'),
  };
}

/** Returns the SHA-256 of a token in hex. A token has at least 122 random bits, so the hash needs no key. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Returns the HMAC of a six-digit code. A hash without a key could be reversed by trying all million codes. */
export function hashCode(secrets: Secrets, email: string, code: string): string {
  return createHmac('sha256', secrets.codeKey).update(`${email}\n${code}`).digest('hex');
}

/** Returns 256 random bits in base64url, 43 characters. */
export function createRandomText(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/**
 * Returns the token of a mailed link: 256 bits that only a holder of SECRET_KEY can compute. `mail` identifies the
 * mail, so a retry of the mail has the same token. With PKCE the token has the prefix `pkce_`, as in Supabase Auth.
 */
export function deriveLinkToken({ mailKey }: Secrets, mail: string, withPkce: boolean): string {
  const token = createHmac('sha256', mailKey).update(`link\n${mail}`).digest('base64url');
  return `${withPkce ? PKCE_PREFIX : ''}${token}`;
}

/** Returns the six-digit code of a mail. A retry of the mail has the same code. */
export function deriveCode({ mailKey }: Secrets, mail: string): string {
  const bits = createHmac('sha256', mailKey).update(`code\n${mail}`).digest().readBigUInt64BE();
  return String(bits % CODE_COUNT).padStart(6, '0');
}
