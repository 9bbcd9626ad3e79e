// Reads, saves and changes people: one person by address or id, and many people of an upload. Also reads one code.
import type { AppUser, CouponRecord, PersonCoupon, PersonRecord, VersionedUser } from '@portal/contract';
import { asRowId, asUuid, type Db } from '../../db/database.ts';
import { type Importer, originOf } from '../log/audit.sql.ts';
import { findStoredEmail, findStoredEmails } from './addresses.sql.ts';

/** The columns of an `AppUser`. `u` is the alias of the table app_user. */
export const USER = 'u.id, u.user_id, u.email, u.name, u.phone_number, u.user_role, u.team_role';

/**
 * Returns the user with this address, or null if there is none. `email` must be trimmed and in lower case. Also finds
 * the user whose stored address has another form (see `findStoredEmails`).
 */
export async function findUser(db: Db, email: string): Promise<AppUser | null> {
  const find = async (stored: string) =>
    (
      await db.query<AppUser>(`select ${USER} from app_user u where email = $1 and erased_at is null`, [
        stored,
      ])
    ).rows[0] ?? null;
  return (await find(email)) ?? find(await findStoredEmail(db, email));
}

/**
 * Returns the time of the last sign-in; null if the user has never signed in. Returns undefined if the user signs in at
 * a hosted service, because only that service knows the time.
 */
export async function findLastSignIn(db: Db, email: string): Promise<string | null | undefined> {
  const { rows } = await db.query<{ last_sign_in_at: string | null; elsewhere: boolean }>(
    `select s.last_sign_in_at, u.auth_id is not null and s.id is null as elsewhere
     from app_user u left join auth_user s on s.email = u.email where u.email = $1`,
    [email],
  );
  return rows[0]?.elsewhere ? undefined : (rows[0]?.last_sign_in_at ?? null);
}

type Activity = { last_sign_in_at: string | null; codes_held: number };

/** Returns for each user (app_user.id) the last sign-in at the embedded service and the number of held codes. */
export async function listActivity(db: Db, ids: readonly string[]): Promise<Map<string, Activity>> {
  const { rows } = await db.query<Activity & { id: string }>(
    `select p.id, l.at as last_sign_in_at,
       (select count(*)::int from coupon c
        where c.holder = p.id and c.revoked_at is null) as codes_held
     from unnest($1::bigint[]) p (id) left join person_sign_in l on l.person_id = p.id`,
    [ids],
  );
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

type Contact = { name: string | null; phone_number: string | null };

/**
 * Creates a user. If the address exists, replaces name and phone number unless the new value is null, and keeps the
 * role. With `keepsMembers`, also keeps name and phone number of a member of the team. `before` has the
 * values before the change; it is null if the user was created.
 */
export async function upsertUser(
  db: Db,
  user: Contact & { email: string },
  { keepsMembers }: { keepsMembers: boolean },
): Promise<{ saved: AppUser; before: Contact | null }> {
  const values = [user.email, user.name, user.phone_number];
  const created = await db.query<AppUser>(
    `insert into app_user as u (email, name, phone_number) values ($1, $2, $3)
     on conflict (email) do nothing returning ${USER}`,
    values,
  );
  if (created.rows[0]) return { saved: created.rows[0], before: null };
  // The statement locks the row before it reads the row. So `before` has exactly the values that the update replaces.
  const { rows } = await db.query<AppUser & { before: Contact }>(
    `with old as (
       select id, name, phone_number, $4 and team_role is not null as keeps from app_user where email = $1
       for no key update)
     update app_user u set name = case when keeps then old.name else coalesce($2, old.name) end,
       phone_number = case when keeps then old.phone_number else coalesce($3, old.phone_number) end, updated_at = now()
     from old where u.id = old.id
     returning ${USER}, jsonb_build_object('name', old.name, 'phone_number', old.phone_number) as before`,
    [...values, keepsMembers],
  );
  // The person got another address, or was erased, after the first statement.
  if (rows[0] === undefined) return upsertUser(db, user, { keepsMembers });
  const { before, ...saved } = rows[0];
  return { saved, before };
}

type NewUser = Contact & { email: string; payment_id: string | null };

/**
 * Creates users, each with an audit line. Skips users whose address exists already, either in the table or earlier in
 * `users`. Returns the number of created users, and of those without a name. Inserts in the order of addresses, so that
 * two imports of the same users do not deadlock.
 */
export async function createUsers(
  db: Db,
  users: readonly NewUser[],
  { actor, import_id }: Pick<Importer, 'actor'> & Partial<Importer>,
): Promise<{ created: number; without_name: number }> {
  const { rows } = await db.query<{ created: number; without_name: number }>(
    `with created as (
       insert into app_user (email, name, phone_number, payment_id)
       select email, name, phone_number, payment_id from jsonb_populate_recordset(null::app_user, $1::jsonb) with ordinality as u
       order by email, ordinality
       on conflict do nothing
       returning id, name
     ), lines as (
       insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, detail)
       select $2, $4, $5::inet, $6::bigint, $7, 'user.create', id,
         jsonb_strip_nulls(jsonb_build_object('import_id', $3::text))
       from created
     )
     select count(*)::int as created, count(*) filter (where name is null)::int as without_name from created`,
    [JSON.stringify(users), actor, import_id ?? null, ...originOf(actor)],
  );
  return rows[0] ?? { created: 0, without_name: 0 };
}

/**
 * Gives people the names of a file, each with an audit line (R-MAP-24). Leaves out members of the team, and people whom
 * an earlier row of the file has added or renamed. Returns the number of changed people. The people must be locked.
 */
export async function updateNames(
  db: Db,
  people: readonly { email: string; name: string }[],
  { actor, import_id }: Importer,
): Promise<number> {
  const { rowCount } = await db.query(
    `with renamed as (
       select u.id, u.name as was, given.name
       from jsonb_to_recordset($1::jsonb) as given (email text, name text)
         cross join lateral (select id, name, team_role from app_user where email = given.email offset 0) u
       where u.name is distinct from given.name and u.team_role is null and not exists (
         select from audit a
         where a.user_id = u.id and a.action in ('user.create', 'user.edit') and a.detail ->> 'import_id' = $3)
     ), changed as (
       update app_user u set name = r.name, updated_at = now() from renamed r where u.id = r.id returning u.id
     )
     insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, detail)
     select $2, $4, $5::inet, $6::bigint, $7, 'user.edit', id,
       jsonb_build_object('import_id', $3::text, 'name', jsonb_build_array(was, name))
     from renamed join changed using (id)`,
    [JSON.stringify(people), actor, import_id, ...originOf(actor)],
  );
  return rowCount;
}

/** Returns the id (app_user.id) of the newest person; '0' if there is nobody. */
export async function findNewestPerson(db: Db): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select coalesce(max(id), 0) as id from app_user');
  return rows[0]?.id ?? '0';
}

/** Returns the people with these addresses. Ignores unknown addresses. */
export async function listNamed(
  db: Db,
  emails: readonly string[],
): Promise<Pick<AppUser, 'id' | 'email' | 'user_role'>[]> {
  const { rows } = await db.query<Pick<AppUser, 'id' | 'email' | 'user_role'>>(
    'select id, email, user_role from app_user where email = any($1::text[]) and erased_at is null order by id',
    [[...(await findStoredEmails(db, emails)).values()]],
  );
  return rows;
}

export async function listAdminEmails(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    "select email from app_user where user_role = 'admin' order by id",
  );
  return rows.map(({ email }) => email);
}

export async function listOwnerEmails(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    "select email from app_user where team_role = 'owner' order by id",
  );
  return rows.map(({ email }) => email);
}

/**
 * Locks the user, so that other staff actions on the user's codes wait until the transaction ends. Redemptions do not
 * wait. Returns true if the person is erased.
 */
export async function lockUser(db: Db, user_id: string): Promise<boolean> {
  const { rows } = await db.query<{ is_erased: boolean }>(
    'select erased_at is not null as is_erased from app_user where id = $1 for no key update',
    [user_id],
  );
  return rows[0]?.is_erased ?? false;
}

export async function countAdmins(db: Db): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from app_user where user_role = 'admin'",
  );
  return rows[0]?.count ?? 0;
}

/**
 * Saves the id that the user has at the sign-in service. If the id has changed, adds an audit line. With
 * `hosted`, also links the account to the user in identity_person, unless the account is linked to somebody else.
 */
export async function linkAuthIdentity(
  db: Db,
  { user_id, auth_id, hosted = false }: { user_id: string; auth_id: string; hosted?: boolean },
): Promise<void> {
  await db.query(
    `with linked as (
       update app_user set auth_id = $2 where id = $1 and auth_id is distinct from $2::uuid returning id
     ), remembered as (
       insert into identity_person (provider, issuer, provider_id, person_id)
       select 'hosted', '', $2::text, id from linked where $3 on conflict do nothing
     )
     insert into audit (actor, via, action, user_id, detail)
     select 'portal', 'portal', 'user.link', id, jsonb_build_object('auth_id', $2::text) from linked`,
    [user_id, auth_id, hosted],
  );
}

/**
 * A person. `user_id` is the public id, `id` is app_user.id. `mail_refused_at` is null unless the mail server has
 * permanently refused mails to the address.
 */
export type Person = VersionedUser & { mail_refused_at: string | null; mail_refused_reason: string | null };

const PERSON = `${USER}, u.version, u.mail_refused_at, u.mail_refused_reason`;

/** Returns the person with this public id, or null. Does not find erased people. */
export async function findPerson(db: Db, user_id: string): Promise<Person | null> {
  const person = await findAnyPerson(db, user_id);
  return person?.erased_at === null ? person : null;
}

/** Does the same as `findPerson`, and also finds erased people. */
export async function findAnyPerson(
  db: Db,
  user_id: string,
): Promise<(Person & { erased_at: string | null }) | null> {
  const { rows } = await db.query<Person & { erased_at: string | null }>(
    `select ${PERSON}, u.erased_at from app_user u where user_id = $1`,
    [asUuid(user_id)],
  );
  return rows[0] ?? null;
}

/** Does the same as `findPerson`, and locks the person until the transaction ends. */
export async function lockPerson(db: Db, user_id: string): Promise<Person | null> {
  const { rows } = await db.query<Person>(
    `select ${PERSON} from app_user u where user_id = $1 and erased_at is null for no key update`,
    [asUuid(user_id)],
  );
  return rows[0] ?? null;
}

/** Returns the public id of the user with this address, or null if there is none. Finds the same user as `findUser`. */
export async function findIdOfEmail(db: Db, email: string): Promise<string | null> {
  return (await findUser(db, email))?.user_id ?? null;
}

/**
 * Replaces address, name and phone number, and returns the new version. A new address also resets the sign-in id, the
 * refusal of mails, and the time at which the person left the team.
 * @throws a unique violation if somebody else has the address.
 */
export async function updatePerson(
  db: Db,
  { id, email, name, phone_number }: Pick<Person, 'id' | 'email' | 'name' | 'phone_number'>,
): Promise<number> {
  const { rows } = await db.query<Pick<Person, 'version'>>(
    `update app_user set email = $2, name = $3, phone_number = $4, updated_at = now(),
       auth_id = case when email = $2 then auth_id end,
       left_team_at = case when email = $2 then left_team_at end,
       mail_refused_at = case when email = $2 then mail_refused_at end,
       mail_refused_reason = case when email = $2 then mail_refused_reason end
     where id = $1 returning version`,
    [id, email, name, phone_number],
  );
  return (rows[0] as Pick<Person, 'version'>).version;
}

/**
 * Records in the links to a person's accounts (table identity_person) that the person (app_user.id) gets another
 * address now. After that, earlier sign-ins with these accounts prove no address. First adds missing links: an account
 * has no link if it was used for a sign-in with Google before the person was added, or if a process of the previous
 * version linked it to the person. Must be called before the address is changed.
 */
export async function leaveIdentities(db: Db, id: string): Promise<void> {
  // A sign-in with Google locks the person before it inserts a link. This lock waits for such a sign-in, else the two
  // inserts could deadlock.
  await db.query('select 1 from app_user where id = $1 for update', [id]);
  await db.query(
    `insert into identity_person (provider, issuer, provider_id, person_id)
     select i.provider, i.issuer, i.provider_id, u.id
     from app_user u join auth_user s on s.email = u.email join auth_identity i on i.user_id = s.id
     where u.id = $1 and i.provider <> 'email'
     union all
     select 'hosted', '', auth_id::text, id from app_user u
     where id = $1 and auth_id is not null and not exists (select from auth_user s where s.id = u.auth_id)
     on conflict do nothing`,
    [id],
  );
  await db.query(
    `update identity_person set since = now()
     where person_id = $1 or (provider, issuer, provider_id) = ('hosted', '', (select auth_id::text from app_user where id = $1))`,
    [id],
  );
}

/** Returns the people (app_user.id) to whose address the mail server has permanently refused mails. */
export async function listRefused(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from app_user where id = any($1::bigint[]) and mail_refused_at is not null',
    [ids],
  );
  return rows.map(({ id }) => id);
}

export async function clearMailRefusal(db: Db, id: string): Promise<void> {
  const statement = 'update app_user set mail_refused_at = null, mail_refused_reason = null where id = $1';
  await db.query(statement, [id]);
}

/** Returns the cohorts of a user (app_user.id), by name. */
export async function listCohortsOf(db: Db, id: string): Promise<PersonRecord['cohorts']> {
  const { rows } = await db.query<PersonRecord['cohorts'][number]>(
    `select o.cohort_id, o.name, o.archived_at is not null as archived
     from cohort_member m join cohort o using (cohort_id) where m.user_id = $1 order by o.name, o.cohort_id`,
    [id],
  );
  return rows;
}

type WithCode<T> = Omit<T, 'hint'> & { coupon_code: string };

/** Returns every code that a user (app_user.id) ever held, newest first, with its full text. */
export async function listCouponsOf(db: Db, id: string): Promise<WithCode<PersonCoupon>[]> {
  const { rows } = await db.query<WithCode<PersonCoupon>>(
    `select c.id, c.coupon_code, jsonb_build_object('product_id', p.product_id, 'name', p.name) as product,
       case when c.revoked_at is null then 'held' else 'revoked' end as state, c.unconfirmed, c.is_current as current,
       c.assigned_at, c.assigned_by, nullif(c.use_by, 'infinity') as use_by,
       lead(c.assigned_at) over (partition by c.product_id order by c.assigned_at, c.id) as replaced_at,
       c.revoked_at, c.revoked_by, c.revoke_reason
     from coupon c join product p on p.product_id = c.product_id
     where c.holder = $1 order by c.assigned_at desc, c.id desc`,
    [id],
  );
  return rows;
}

/**
 * Returns the code with this id, with its full text and its state on the day `today`; null if there is no such code.
 */
export async function findCoupon(db: Db, id: string, today: string): Promise<WithCode<CouponRecord> | null> {
  const { rows } = await db.query<WithCode<CouponRecord>>(
    `select c.id, c.coupon_code, jsonb_build_object('product_id', p.product_id, 'name', p.name) as product,
       code_state_name(code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, $2)) as state,
       c.unconfirmed, nullif(c.use_by, 'infinity') as use_by,
       b.id as batch_id, b.source, b.file_name, b.created_by, b.created_at,
       case when u.id is not null then jsonb_build_object('user_id', u.user_id, 'email', u.email, 'name', u.name) end
         as holder,
       c.is_current as current, c.assigned_at, c.assigned_by, c.revoked_at, c.revoked_by, c.revoke_reason,
       c.voided_at, c.voided_by, c.void_reason
     from coupon c join product p on p.product_id = c.product_id join coupon_batch b on b.id = c.batch_id
     left join app_user u on u.id = c.holder
     where c.id = $1`,
    [asRowId(id), today],
  );
  const [row] = rows as (WithCode<CouponRecord> & CouponRecord['batch'] & { batch_id: string })[];
  if (row === undefined) return null;
  const { batch_id, source, file_name, created_by, created_at } = row;
  return { ...row, batch: { id: batch_id, source, file_name, created_by, created_at } };
}

/** Returns true if the user (app_user.id) holds a code of the product that is not revoked. */
export async function holdsCode(db: Db, id: string, product_id: string): Promise<boolean> {
  const { rows } = await db.query<{ holds: boolean }>(
    'select exists (select from coupon where holder = $1 and product_id = $2 and revoked_at is null) as holds',
    [id, product_id],
  );
  return rows[0]?.holds ?? false;
}
