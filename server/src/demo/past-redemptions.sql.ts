// SQL of sample data: codes that learners redeemed in the past, and the times of other rows. One statement adds all
// codes, because it would be slow to redeem each code.
import type { Db } from '../db/database.ts';

/** A code that a learner redeemed in the past. `shared` must equal `shared_coupon` of the product. */
export type PastRedemption = {
  product_id: string;
  batch_id: string;
  shared: boolean;
  coupon_code: string;
  email: string;
  at: Date;
};

/** Adds assigned codes, sorted by the time of the redemption, one audit line for each code, and the last sign-ins. */
export async function createPastRedemptions(db: Db, past: readonly PastRedemption[]): Promise<void> {
  await db.query(
    `with added as (
       insert into coupon (product_id, batch_id, shared, coupon_code, holder, assigned_at, assigned_by, is_current)
       select p.product_id, p.batch_id, p.shared, p.coupon_code, u.id, p.at, 'learner', true
       from jsonb_to_recordset($1::jsonb)
         as p (product_id uuid, batch_id bigint, shared boolean, coupon_code text, email text, at timestamptz)
       join app_user u on u.email = p.email
       order by p.at, p.coupon_code, u.id
       returning id, holder, product_id, assigned_at
     ), signed_in as (
       insert into person_sign_in (person_id, at) select holder, max(assigned_at) from added group by holder
       on conflict (person_id) do update set at = excluded.at
     )
     insert into audit (at, actor, action, user_id, product_id, coupon_id)
     select assigned_at, 'learner', 'coupon.redeem', holder, product_id, id from added order by id`,
    [JSON.stringify(past)],
  );
}

/** Each table's column with the time at which a row was added. */
const TIMES = {
  audit: 'at',
  app_user: 'created_at',
  bulk_job: 'created_at',
  coupon_batch: 'created_at',
  cohort: 'created_at',
  cohort_member: 'joined_at',
  access_grant: 'granted_at',
};

/**
 * Sets the time of the log lines, people, jobs, uploads, cohorts and grants that any database session inserts from now on.
 * Null restores the default, `now()`.
 */
export async function setTimeOfRows(db: Db, at: Date | null): Promise<void> {
  const time = at === null ? 'now()' : `'${at.toISOString()}'`;
  for (const [table, column] of Object.entries(TIMES))
    await db.execute(`alter table ${table} alter column ${column} set default ${time}`);
}
