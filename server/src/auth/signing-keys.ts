// Manages the keys that sign access tokens. The first start creates a key. All processes share the keys. Private keys
// are stored in the database, encrypted (AES-256-GCM) with a key derived from SECRET_KEY.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { type Database, DatabaseError, type Db } from '../db/database.ts';
import { createServiceLine } from '../features/log/audit.sql.ts';
import {
  createSigningKey,
  deleteRetiredKeys,
  listSigningKeys,
  lockSigningKeys,
  retireSigningKey,
  type SigningKeyRow,
} from './signing-keys.sql.ts';

export type SigningKeys = Awaited<ReturnType<typeof openSigningKeys>>;

type Loaded = Awaited<ReturnType<typeof load>>;

export const SIGNING_ALGORITHM = 'ES256';
// The loaded keys are a cache, because another process may rotate the keys. A key verifies tokens if it was loaded at
// most RELOAD_MS ago, and signs tokens if it was loaded at most RELOAD_TO_SIGN_MS ago. A token with an unknown key id
// causes an immediate reload.
const RELOAD_MS = 10_000;
const RELOAD_TO_SIGN_MS = 1_000;

type KeyStore = { db: Database; sealKey: Buffer; now: () => Date };

/**
 * Loads the keys, and creates the first one if there is none.
 * @throws DatabaseError naming SECRET_KEY if the keys in the database were encrypted with another SECRET_KEY.
 */
export async function openSigningKeys({ db, sealKey, now }: KeyStore) {
  if ((await listSigningKeys(db))[0]?.retired_at !== null) {
    await createSigningKey(db, await makeKey(sealKey), now());
  }
  let loading: Promise<Loaded> | null = null;
  let loaded = await load(db, sealKey, now());

  // Concurrent callers share one reload. So a client that sends many tokens with unknown key ids causes little load.
  async function reload(): Promise<Loaded> {
    loading ??= load(db, sealKey, now()).finally(() => {
      loading = null;
    });
    loaded = await loading;
    return loaded;
  }

  async function getLoaded(maxAgeMs: number): Promise<Loaded> {
    const ageMs = now().getTime() - loaded.at;
    // The age is negative if the clock was set back.
    if (ageMs >= maxAgeMs || ageMs < 0) return reload();
    // At half of the maximum age, reloads in the background. So under constant load no caller waits for a reload.
    if (ageMs >= maxAgeMs / 2) reload().catch(() => undefined);
    return loaded;
  }

  return {
    /** Returns the key that signs new tokens; there is only one. */
    getSigningKey: async () => (await getLoaded(RELOAD_TO_SIGN_MS)).signing,
    /** Returns the public key `kid`, even if another process has just created the key; null if there is none. */
    findPublicKey: async (kid: string): Promise<CryptoKey | null> => {
      const known = (await getLoaded(RELOAD_MS)).publicKeys.get(kid);
      if (known !== undefined) return known;
      // The running reload may have read the keys before `kid` was created, so another reload follows.
      await loading;
      return (await reload()).publicKeys.get(kid) ?? null;
    },
    /**
     * True if tokens of the key `kid` are accepted. After a revocation, it takes up to ten seconds until this is false.
     */
    hasKey: async (kid: string) => (await getLoaded(RELOAD_MS)).publicKeys.has(kid),
    /** Returns the public keys in JWKS format (RFC 7517). */
    listPublicKeys: async (): Promise<JWK[]> => (await getLoaded(RELOAD_MS)).jwks,
    /**
     * Creates a new signing key and returns its id. Tokens that the old key signed stay valid. With `revoke`, the old
     * key is deleted, so its tokens are refused.
     */
    rotate: async ({ revoke }: { revoke: boolean }): Promise<string> => {
      const key = await makeKey(sealKey);
      await db.transaction(async (tx) => {
        // Rotations run one after the other. If two ran concurrently, the second would not see the key of the first. It
        // could then fail to create a key, or write a wrong audit line.
        await lockSigningKeys(tx);
        await retireSigningKey(tx, now());
        if (revoke) await deleteRetiredKeys(tx);
        if (!(await createSigningKey(tx, key, now()))) throw new Error('The signing key was not created');
        await createServiceLine(tx, 'signing_key.rotate', { kid: key.kid, revoke });
      });
      // The running reload may have read the keys before this rotation, so another reload follows.
      await loading?.catch(() => undefined);
      await reload();
      return key.kid;
    },
  };
}

/** True if `sealKey` decrypts the signing key, or the database has no signing key. */
export async function opensSigningKey(db: Db, sealKey: Buffer): Promise<boolean> {
  const signing = (await listSigningKeys(db)).find((row) => row.retired_at === null);
  try {
    if (signing !== undefined) unseal(sealKey, signing);
    return true;
  } catch {
    return false;
  }
}

async function makeKey(sealKey: Buffer): Promise<Omit<SigningKeyRow, 'retired_at'>> {
  const pair = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const public_jwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(public_jwk);
  const private_key = sealText(sealKey, kid, JSON.stringify(await exportJWK(pair.privateKey)));
  return { kid, public_jwk, private_key };
}

async function load(db: Database, sealKey: Buffer, now: Date) {
  const rows = await listSigningKeys(db);
  const signing = rows.find((row) => row.retired_at === null);
  if (signing === undefined) throw new Error('The sign-in service has no signing key');
  const publicKeys = new Map<string, CryptoKey>();
  for (const row of rows) publicKeys.set(row.kid, await importKey(row.public_jwk));
  return {
    at: now.getTime(),
    signing: { kid: signing.kid, key: await importKey(JSON.parse(unseal(sealKey, signing))) },
    publicKeys,
    jwks: rows.map((row) => ({
      ...row.public_jwk,
      kid: row.kid,
      alg: SIGNING_ALGORITHM,
      use: 'sig',
      key_ops: ['verify'],
    })),
  };
}

function unseal(sealKey: Buffer, row: SigningKeyRow): string {
  try {
    return unsealText(sealKey, row.kid, row.private_key);
  } catch (cause) {
    throw new DatabaseError(
      'SECRET_KEY is not the one that this database was made with: its signing keys do not open. Set the SECRET_KEY that was in use before.',
      { cause },
    );
  }
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new Error('A signing key is not of its kind');
  return key;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts `text`. Decryption needs the same `label`, so the result is useless in the row of another key. */
function sealText(key: Buffer, label: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(label));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Decrypts the result of `sealText`. @throws if the key or the label is wrong, or the text was altered. */
function unsealText(key: Buffer, label: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(label))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return text.toString('utf8');
}
