// SQL of the keys that sign access tokens.
import type { JWK } from 'jose';
import type { Db } from '../db/database.ts';

/**
 * `private_key` is encrypted with a key derived from SECRET_KEY. `retired_at` is null for the key that signs new
 * tokens.
 */
export type SigningKeyRow = { kid: string; public_jwk: JWK; private_key: string; retired_at: string | null };

/** Returns all keys, first the key that signs new tokens. The others are retired; their tokens may still be valid. */
export async function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  const { rows } = await db.query<SigningKeyRow>(
    `select kid, public_jwk, private_key, retired_at from auth_signing_key
     order by retired_at desc nulls first`,
  );
  return rows;
}

/** Stores the key that signs new tokens. Returns false if there is one already, perhaps from another process. */
export async function createSigningKey(
  db: Db,
  key: Omit<SigningKeyRow, 'retired_at'>,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into auth_signing_key (kid, public_jwk, private_key, created_at) values ($1, $2::jsonb, $3, $4)
     on conflict do nothing`,
    [key.kid, JSON.stringify(key.public_jwk), key.private_key, now.toISOString()],
  );
  return rowCount > 0;
}

/** Locks the table of keys until the transaction ends. Other transactions can read the table, but not change it. */
export async function lockSigningKeys(tx: Db): Promise<void> {
  await tx.execute('lock table auth_signing_key in share row exclusive mode');
}

/** Retires the key that signs new tokens. It signs no further tokens, but its tokens stay valid. */
export async function retireSigningKey(db: Db, now: Date): Promise<void> {
  await db.query('update auth_signing_key set retired_at = $1 where retired_at is null', [now.toISOString()]);
}

/** Deletes all retired keys, which makes their tokens invalid. */
export async function deleteRetiredKeys(db: Db): Promise<void> {
  await db.query('delete from auth_signing_key where retired_at is not null');
}

/** Deletes keys that were retired before `before`. */
export async function deleteSigningKeys(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_signing_key where retired_at < $1', [before.toISOString()]);
}
