// Reads and changes one person: the record for staff, the address, the refusal of mails. Also reads one code.
import type { CouponRecord, PersonCoupon, PersonRecord, VersionedUser } from '@portal/contract';
import { sqlColumns } from '../../db/columns.ts';
import type { Db } from '../../db/database.ts';
import { stateNameOn } from '../codes/coupons.sql.ts';
import { findUser, USER_COLUMNS } from './users.sql.ts';

/** A person with the refusal of mails to the address. `user_id` is the public id, `id` is app_user.id. */
export type Person = VersionedUser & { mail_refused_at: string | null; mail_refused_reason: string | null };

const PERSON = sqlColumns<Person>({
  ...USER_COLUMNS,
  version: true,
  mail_refused_at: true,
  mail_refused_reason: true,
}).list;

/** Returns the person with this `user_id`, a UUID. Returns null if there is none. */
export async function findPerson(db: Db, user_id: string): Promise<Person | null> {
  const { rows } = await db.query<Person>(`select ${PERSON} from app_user where user_id = $1`, [user_id]);
  return rows[0] ?? null;
}

/** Does the same as `findPerson`, and locks the person until the transaction ends. */
export async function lockPerson(db: Db, user_id: string): Promise<Person | null> {
  const { rows } = await db.query<Person>(
    `select ${PERSON} from app_user where user_id = $1 for no key update`,
    [user_id],
  );
  return rows[0] ?? null;
}

/** Returns the public id of the user with this address, or null if there is none. Finds the same user as `findUser`. */
export async function findIdOfEmail(db: Db, email: string): Promise<string | null> {
  return (await findUser(db, email))?.user_id ?? null;
}

/**
 * Replaces address, name and phone number, and returns the new version. With a new address, the person has never signed
 * in, and no mail was refused.
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
 * Notes the time at which a person (app_user.id) gets another address, in the links of the person's accounts. Earlier
 * sign-ins of these accounts then prove no address. First links accounts that have no link: the account at Google signed
 * in before the person was added, or a process of the previous version linked it. Must be called before the address is
 * changed.
 */
export async function leaveIdentities(db: Db, id: string): Promise<void> {
  // A sign-in with Google locks the person before it inserts a link. So this statement waits for it, else the two inserts
  // could deadlock.
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

/** Returns those of the ids (app_user.id) whose address the mail server refuses for good. */
export async function listRefused(db: Db, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from app_user where id = any($1::bigint[]) and mail_refused_at is not null',
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Forgets that mails to the person were refused. */
export async function clearMailRefusal(db: Db, id: string): Promise<void> {
  await db.query('update app_user set mail_refused_at = null, mail_refused_reason = null where id = $1', [
    id,
  ]);
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
       case when c.revoked_at is null then 'held' else 'revoked' end as state, c.is_current as current,
       c.assigned_at, c.assigned_by, nullif(c.use_by, 'infinity') as use_by,
       lead(c.assigned_at) over (partition by c.product_id order by c.assigned_at, c.id) as replaced_at,
       c.revoked_at, c.revoked_by, c.revoke_reason
     from coupon c join product p on p.product_id = c.product_id
     where c.holder = $1 order by c.assigned_at desc, c.id desc`,
    [id],
  );
  return rows;
}

/** Returns the code with this id, a row id, with its full text and its state on the day `today`. Null if there is none. */
export async function findCoupon(db: Db, id: string, today: string): Promise<WithCode<CouponRecord> | null> {
  const { rows } = await db.query<WithCode<CouponRecord>>(
    `select c.id, c.coupon_code, jsonb_build_object('product_id', p.product_id, 'name', p.name) as product,
       ${stateNameOn('c', '$2')} as state,
       nullif(c.use_by, 'infinity') as use_by,
       b.id as batch_id, b.source, b.file_name, b.created_by, b.created_at,
       case when u.id is not null then jsonb_build_object('user_id', u.user_id, 'email', u.email, 'name', u.name) end
         as holder,
       c.is_current as current, c.assigned_at, c.assigned_by, c.revoked_at, c.revoked_by, c.revoke_reason,
       c.voided_at, c.voided_by, c.void_reason
     from coupon c join product p on p.product_id = c.product_id join coupon_batch b on b.id = c.batch_id
     left join app_user u on u.id = c.holder
     where c.id = $1`,
    [id, today],
  );
  const [row] = rows as (WithCode<CouponRecord> & CouponRecord['batch'] & { batch_id: string })[];
  if (row === undefined) return null;
  const { batch_id, source, file_name, created_by, created_at } = row;
  return { ...row, batch: { id: batch_id, source, file_name, created_by, created_at } };
}

/** True if the user (app_user.id) holds a code of the product that is not revoked. */
export async function holdsCode(db: Db, id: string, product_id: string): Promise<boolean> {
  const { rows } = await db.query<{ holds: boolean }>(
    'select exists (select from coupon where holder = $1 and product_id = $2 and revoked_at is null) as holds',
    [id, product_id],
  );
  return rows[0]?.holds ?? false;
}
