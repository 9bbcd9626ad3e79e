// SQL of users who have signed in, and of their identities. An identity is an account at Google, or the e-mail address.
import type { Db } from '../db/database.ts';

type IdentityRow = {
  identity_id: string;
  id: string;
  user_id: string;
  identity_data: Record<string, unknown>;
  provider: string;
  last_sign_in_at: string;
  created_at: string;
  updated_at: string;
};

/** A user with all identities, the oldest identity first. */
export type UserRow = {
  id: string;
  email: string;
  email_confirmed_at: string;
  user_metadata: Record<string, unknown>;
  last_sign_in_at: string;
  created_at: string;
  updated_at: string;
  identities: IdentityRow[];
};

/** Unique key of an identity. `provider_id` is the user's id at `issuer`. The issuer is '' for sign-in by mail. */
type IdentityKey = { provider: string; issuer: string; provider_id: string };

/** Creates the user of an e-mail address, or updates the time of the last sign-in. Returns the id of the user. */
export async function saveUser(db: Db, email: string, now: Date): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `insert into auth_user (email, email_confirmed_at, last_sign_in_at, created_at, updated_at)
     values ($1, $2, $2, $2, $2)
     on conflict (email) do update set last_sign_in_at = excluded.last_sign_in_at, updated_at = excluded.updated_at
     returning id`,
    [email, now.toISOString()],
  );
  return (rows[0] as { id: string }).id;
}

/**
 * Returns the id of the user with this identity, and updates the time of the last sign-in. Null if there is no user.
 */
export async function findUserOfIdentity(
  db: Db,
  { provider, issuer, provider_id }: IdentityKey,
  now: Date,
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `update auth_user u set last_sign_in_at = $4, updated_at = $4 from auth_identity i
     where i.provider = $1 and i.issuer = $2 and i.provider_id = $3 and u.id = i.user_id
     returning u.id`,
    [provider, issuer, provider_id, now.toISOString()],
  );
  return rows[0]?.id ?? null;
}

/**
 * Stores a sign-in with an identity. A new identity belongs to the user `user_id`; an existing identity stays with its
 * user. Returns the id of the user who has the identity.
 */
export async function saveIdentity(
  db: Db,
  identity: IdentityKey & { user_id: string; identity_data: Record<string, unknown> },
  now: Date,
): Promise<string> {
  const { rows } = await db.query<{ user_id: string }>(
    `insert into auth_identity
       (user_id, provider, issuer, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5::jsonb, $6, $6, $6)
     on conflict (provider, issuer, provider_id) do update set identity_data = excluded.identity_data,
       last_sign_in_at = excluded.last_sign_in_at, updated_at = excluded.updated_at
     returning user_id`,
    [
      identity.user_id,
      identity.provider,
      identity.issuer,
      identity.provider_id,
      JSON.stringify(identity.identity_data),
      now.toISOString(),
    ],
  );
  return (rows[0] as { user_id: string }).user_id;
}

/**
 * The facts that decide whether an identity may sign in. `account` is the address of the user who has the identity.
 * `person` is the person (app_user.id) to whom the identity was linked. Both are null for a new identity. `holder` is
 * the person who has the address `account` now; for a new identity, the person who has the address from the provider.
 */
export type IdentityLink = { account: string | null; person: string | null; holder: string | null };

/**
 * Reads the facts about an identity whose provider reports `email`. First locks the people with the two addresses, so
 * that nobody edits their addresses until the transaction ends. Call this function before other statements that lock:
 * an edit of a person locks the person first too, so the two cannot deadlock.
 */
export async function lockIdentityLink(
  db: Db,
  { provider, issuer, provider_id }: IdentityKey,
  email: string,
): Promise<IdentityLink> {
  const values = [provider, issuer, provider_id, email];
  await db.query(
    `select 1 from app_user
     where email in ($4, (select u.email from auth_identity i join auth_user u on u.id = i.user_id
       where i.provider = $1 and i.issuer = $2 and i.provider_id = $3))
     order by id for key share`,
    values,
  );
  const { rows } = await db.query<IdentityLink>(
    `select account, (select id from app_user where email = coalesce(account, $4)) as holder,
       (select person_id from identity_person where provider = $1 and issuer = $2 and provider_id = $3) as person
     from (
       select (select u.email from auth_identity i join auth_user u on u.id = i.user_id
         where i.provider = $1 and i.issuer = $2 and i.provider_id = $3) as account
     ) known`,
    values,
  );
  return rows[0] as IdentityLink;
}

/** Stores the person (app_user.id) of an identity, unless the identity already has one. */
export async function linkPerson(
  db: Db,
  { provider, issuer, provider_id }: IdentityKey,
  person: string,
): Promise<void> {
  await db.query(
    `insert into identity_person (provider, issuer, provider_id, person_id) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [provider, issuer, provider_id, person],
  );
}

/**
 * Deletes the identities at providers, such as Google, of the user with the address `email`. Also deletes the links
 * between all identities and the person with this address. Returns the number of identities that were deleted or lost
 * their link.
 */
export async function deleteProviderIdentities(db: Db, email: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `with gone as (
       delete from auth_identity i using auth_user u
       where u.id = i.user_id and u.email = $1 and i.provider <> 'email'
       returning i.provider, i.issuer, i.provider_id
     ), forgotten as (
       delete from identity_person p
       where p.person_id = (select id from app_user where email = $1)
         or (p.provider, p.issuer, p.provider_id) in (select i.provider, i.issuer, i.provider_id
           from auth_identity i join auth_user u on u.id = i.user_id where u.email = $1)
       returning p.provider, p.issuer, p.provider_id
     )
     select count(*)::int as count from (select * from gone union select * from forgotten) identities`,
    [email],
  );
  return rows[0]?.count ?? 0;
}

/** Deletes the user with the address `email`, with all identities, sessions and unfinished sign-ins. */
export async function deleteUser(db: Db, email: string): Promise<void> {
  await db.query('delete from auth_user where email = $1', [email]);
}

/** Returns the user with the id `id` and all identities; null if there is no such user. */
export async function findUser(db: Db, id: string): Promise<UserRow | null> {
  const { rows } = await db.query<UserRow>(
    `select u.id, u.email, u.email_confirmed_at, u.user_metadata, u.last_sign_in_at, u.created_at, u.updated_at,
       coalesce((
         select jsonb_agg(jsonb_build_object('identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id,
           'identity_data', i.identity_data, 'provider', i.provider, 'last_sign_in_at', i.last_sign_in_at,
           'created_at', i.created_at, 'updated_at', i.updated_at) order by i.created_at, i.id)
         from auth_identity i where i.user_id = u.id), '[]') as identities
     from auth_user u where u.id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Clears the mark that mails to this address were refused, because the person has now received a mail. Skips a person
 * whom another transaction has locked: if that transaction ends the person's sessions, the two transactions would
 * deadlock.
 */
export async function acceptMailsAgain(db: Db, email: string): Promise<void> {
  await db.query(
    `with refused as (
       select id from app_user where email = $1 and mail_refused_at is not null for no key update skip locked)
     update app_user u set mail_refused_at = null, mail_refused_reason = null from refused where u.id = refused.id`,
    [email],
  );
}

/** True if a user with this address has signed in before. */
export async function hasUser(db: Db, email: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from auth_user where email = $1', [email]);
  return rows.length > 0;
}

/** Merges `data` into the metadata of the user. A null value in `data` removes the key. */
export async function updateMetadata(
  db: Db,
  id: string,
  data: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await db.query(
    `update auth_user set updated_at = $3, user_metadata = coalesce((
       select jsonb_object_agg(key, value) from jsonb_each(user_metadata || $2::jsonb)
       where value <> 'null'), '{}')
     where id = $1`,
    [id, JSON.stringify(data), now.toISOString()],
  );
}
