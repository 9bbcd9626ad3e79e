// SQL of mailed links and codes, which are stored as hashes, and of the counts of wrong codes.
import { sqlColumns } from '../../db/columns.ts';
import type { Db } from '../../db/database.ts';
import type { Challenge } from '../pkce.ts';

export type OneTimeToken = Challenge & {
  email: string;
  link_hash: string;
  code_hash: string;
  /**
   * False if the address got no mail, because the address belongs to no user. In that case, both hashes are hashes of
   * random values.
   */
  mailed: boolean;
  expires_at: Date;
};
const TOKEN = sqlColumns<OneTimeToken>({
  email: true,
  link_hash: true,
  code_hash: true,
  code_challenge: true,
  code_challenge_method: true,
  mailed: true,
  expires_at: true,
});

/** The row of a link or code that was used. Each link or code works once. */
export type SpentToken = Challenge & { email: string };

/**
 * Stores the hashes of a new link and a new code of an address. The new hashes replace the earlier ones of the same
 * address.
 */
export async function saveOneTimeToken(db: Db, token: OneTimeToken): Promise<void> {
  await db.query(
    `insert into auth_one_time_token (${TOKEN.list}) values (${TOKEN.params})
     on conflict (email) do update set (code_tries, ${TOKEN.list}) = row (0, ${TOKEN.of('excluded')})`,
    TOKEN.valuesOf(token),
  );
}

/** True if a link was mailed to the address, has not been used and has not expired. */
export async function hasMailedToken(db: Db, email: string, now: Date): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from auth_one_time_token where email = $1 and mailed and expires_at > $2',
    [email, now.toISOString()],
  );
  return rows.length > 0;
}

/**
 * Deletes a link together with its code, and returns the deleted row. Returns null if the link is unknown, used or
 * expired. Of two concurrent calls, one gets null.
 */
export async function spendLink(db: Db, link_hash: string, now: Date): Promise<SpentToken | null> {
  const { rows } = await db.query<SpentToken>(
    `delete from auth_one_time_token where link_hash = $1 and expires_at > $2
     returning email, code_challenge, code_challenge_method`,
    [link_hash, now.toISOString()],
  );
  return rows[0] ?? null;
}

/**
 * Counts an attempt before the caller compares the code, so that concurrent attempts are all counted. Returns the hash
 * of the right code. Returns null if the address has no code, the code has expired, or `maxTries` attempts were made.
 */
export async function claimCodeTry(
  db: Db,
  email: string,
  maxTries: number,
  now: Date,
): Promise<{ code_hash: string } | null> {
  const { rows } = await db.query<{ code_hash: string }>(
    `update auth_one_time_token set code_tries = code_tries + 1
     where email = $1 and code_tries < $2 and expires_at > $3
     returning code_hash`,
    [email, maxTries, now.toISOString()],
  );
  return rows[0] ?? null;
}

/** Deletes the link and the code of an address. */
export async function deleteOneTimeToken(db: Db, email: string): Promise<void> {
  await db.query('delete from auth_one_time_token where email = $1', [email]);
}

/**
 * Returns how many wrong codes were typed for an address. Returns 0 if the count began before `since`, because the
 * count is then outdated.
 */
export async function countWrongCodes(db: Db, email: string, since: Date): Promise<number> {
  const { rows } = await db.query<{ wrong: number }>(
    'select wrong from auth_wrong_code where email = $1 and since > $2',
    [email, since.toISOString()],
  );
  return rows[0]?.wrong ?? 0;
}

/** Counts a wrong code of an address. If the current count began before `since`, a new count starts at 1. */
export async function addWrongCode(db: Db, email: string, since: Date, now: Date): Promise<void> {
  await db.query(
    `insert into auth_wrong_code (email, since, wrong) values ($1, $3, 1)
     on conflict (email) do update set
       wrong = case when auth_wrong_code.since > $2 then auth_wrong_code.wrong + 1 else 1 end,
       since = case when auth_wrong_code.since > $2 then auth_wrong_code.since else $3 end`,
    [email, since.toISOString(), now.toISOString()],
  );
}
