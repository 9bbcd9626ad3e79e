// The keys that sign access tokens, as rows.
import type { JWK } from 'jose';
import type { Db } from '../../db/database.ts';

/** `private_key` is sealed with SECRET_KEY; `retired_at` null marks the one that signs. */
export type SigningKeyRow = { kid: string; public_jwk: JWK; private_key: string; retired_at: string | null };

/** Every key that may have signed a token still alive, the signing one first. */
export async function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  const { rows } = await db.query<SigningKeyRow>(
    `select kid, public_jwk, private_key, retired_at from auth_signing_key
     order by retired_at desc nulls first`,
  );
  return rows;
}

/** Adds the signing key, unless there is one: of processes that start together, one's key stays. */
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

/** Makes others who would change the keys wait until the transaction ends; readers go on. */
export async function lockSigningKeys(tx: Db): Promise<void> {
  await tx.execute('lock table auth_signing_key in share row exclusive mode');
}

/** Takes the signing key out of service; it goes on verifying. */
export async function retireSigningKey(db: Db, now: Date): Promise<void> {
  await db.query('update auth_signing_key set retired_at = $1 where retired_at is null', [now.toISOString()]);
}

/** Forgets every key but the one that signs. */
export async function deleteRetiredKeys(db: Db): Promise<void> {
  await db.query('delete from auth_signing_key where retired_at is not null');
}

/** Forgets the keys that were retired before `before`. */
export async function deleteSigningKeys(db: Db, before: Date): Promise<void> {
  await db.query('delete from auth_signing_key where retired_at < $1', [before.toISOString()]);
}
