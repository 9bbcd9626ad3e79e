// The keys that sign access tokens: made on first start, kept encrypted in the database, shared by all processes.
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import type { Database, Db } from '../db/database.ts';
import { DatabaseError } from '../db/database-error.ts';
import { sealText, unsealText } from './sealed-text.ts';
import { createAuditLine } from './stores/audit.ts';
import {
  createSigningKey,
  deleteRetiredKeys,
  listSigningKeys,
  lockSigningKeys,
  retireSigningKey,
  type SigningKeyRow,
} from './stores/signing-keys.ts';

export type SigningKeys = {
  /** The one key that signs. */
  getSigningKey(): Promise<{ kid: string; key: CryptoKey }>;
  /** The public key of that name, or null; another process may have made it a moment ago. */
  findPublicKey(kid: string): Promise<CryptoKey | null>;
  /** Whether tokens of that key are taken, as of ten seconds ago at most. */
  hasKey(kid: string): Promise<boolean>;
  /** The public keys as the JWKS lists them (RFC 7517). */
  listPublicKeys(): Promise<JWK[]>;
  /** Lets a new key sign from now on and answers its name; the old one goes on verifying, unless `revoke`. */
  rotate(options: { revoke: boolean }): Promise<string>;
};

type Loaded = {
  at: number;
  signing: { kid: string; key: CryptoKey };
  publicKeys: Map<string, CryptoKey>;
  jwks: JWK[];
};

export const SIGNING_ALGORITHM = 'ES256';
// Another process may have rotated: this one follows soon, with signing sooner, and at an unknown name at once.
const RELOAD_MS = 10_000;
const RELOAD_TO_SIGN_MS = 1_000;

/**
 * Opens the keys, making the first one when there is none.
 * @throws DatabaseError naming SECRET_KEY when the keys were encrypted with another one.
 */
export async function openSigningKeys({
  db,
  sealKey,
  now,
}: {
  db: Database;
  sealKey: Buffer;
  now: () => Date;
}): Promise<SigningKeys> {
  if ((await listSigningKeys(db))[0]?.retired_at !== null) {
    await createSigningKey(db, await makeKey(sealKey), now());
  }
  let loading: Promise<Loaded> | null = null;
  let loaded = await load(db, sealKey, now());

  // One look at a time for all who ask, so that made-up names cost the database next to nothing.
  async function reload(): Promise<Loaded> {
    loading ??= load(db, sealKey, now()).finally(() => {
      loading = null;
    });
    loaded = await loading;
    return loaded;
  }

  async function getLoaded(maxAgeMs: number): Promise<Loaded> {
    const ageMs = now().getTime() - loaded.at;
    if (ageMs >= maxAgeMs) return reload();
    // Ahead of time: where callers come all along, none of them waits for it.
    if (ageMs >= maxAgeMs / 2) reload().catch(() => undefined);
    return loaded;
  }

  return {
    getSigningKey: async () => (await getLoaded(RELOAD_TO_SIGN_MS)).signing,
    findPublicKey: async (kid) => {
      const known = (await getLoaded(RELOAD_MS)).publicKeys.get(kid);
      if (known !== undefined) return known;
      // A look that was under way may have begun before the key was made.
      await loading;
      return (await reload()).publicKeys.get(kid) ?? null;
    },
    hasKey: async (kid) => (await getLoaded(RELOAD_MS)).publicKeys.has(kid),
    listPublicKeys: async () => (await getLoaded(RELOAD_MS)).jwks,
    rotate: async ({ revoke }) => {
      const key = await makeKey(sealKey);
      await db.transaction(async (tx) => {
        // Rotations follow each other: each one's key has signed, and its audit line is true.
        await lockSigningKeys(tx);
        await retireSigningKey(tx, now());
        if (revoke) await deleteRetiredKeys(tx);
        if (!(await createSigningKey(tx, key, now()))) throw new Error('The signing key was not created');
        await createAuditLine(tx, 'operator', 'signing_key.rotate', { kid: key.kid, revoke });
      });
      // A look that was under way may have begun before.
      await loading?.catch(() => undefined);
      await reload();
      return key.kid;
    },
  };
}

/** Whether the key that signs was encrypted with `sealKey`; true when there is none yet. */
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

async function load(db: Database, sealKey: Buffer, now: Date): Promise<Loaded> {
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
