// Helpers for tests of access: redeem on a chosen day, insert cohorts and grants.
import { randomBytes } from 'node:crypto';
import { AppError } from '../src/app-error.ts';
import type { Database } from '../src/db/database.ts';
import { listMyProducts, readOffer } from '../src/features/redeem/my-products.ts';
import { redeemCoupon } from '../src/features/redeem/redeem.ts';
import type { Caller, Identity } from '../src/features/team/callers.sql.ts';
import { utcDayOf } from './factories.ts';

export const STAFF = 'staff@example.org';
export type Learner = Caller & Identity;

/** Returns the tools of the features, with the clock at noon of `day` in the time zone UTC. */
export const toolsOn = (day: string) => ({
  now: () => new Date(`${day}T12:00:00.000Z`),
  dayOf: utcDayOf,
  randomBytes,
  supportEmail: 'help@example.org',
});

export const redeemOn = (
  db: Database,
  day: string,
  caller: Learner,
  { product_id: productId }: { product_id: string },
) => redeemCoupon(db, { caller, productId }, toolsOn(day));

/** Returns the code that the learner gets by redeeming on the day, or the error code of the refusal. */
export async function outcomeOn(...args: Parameters<typeof redeemOn>): Promise<string> {
  const result = await redeemOn(...args).catch((error: unknown) => error);
  if (result instanceof AppError) return result.code;
  if (result instanceof Error) throw result;
  return (result as Awaited<ReturnType<typeof redeemOn>>).coupon.couponCode;
}

/** Inserts a cohort with `members`. Returns the id of the cohort. */
export async function addCohort(
  db: Database,
  members: readonly Learner[],
  { archived = false }: { archived?: boolean } = {},
): Promise<string> {
  const { rows } = await db.query<{ cohort_id: string }>(
    `insert into cohort (name, created_by, archived_at)
     values ('Cohort ' || gen_random_uuid(), $1, case when $2 then now() end) returning cohort_id`,
    [STAFF, archived],
  );
  const { cohort_id } = rows[0] as { cohort_id: string };
  await db.query(
    'insert into cohort_member (cohort_id, user_id, joined_by) select $1, unnest($2::bigint[]), $3',
    [cohort_id, members.map(({ user_id }) => user_id), STAFF],
  );
  return cohort_id;
}

/** Inserts a grant and returns its id. Without `product_id`, the grant gives access to all products. */
export async function addGrant(
  db: Database,
  grant: {
    user_id?: string | null;
    cohort_id?: string;
    product_id?: string;
    starts_on?: string;
    ends_on?: string;
    withdrawn_on?: string;
    purchase_id?: string;
  },
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `insert into access_grant (user_id, cohort_id, product_id, starts_on, ends_on, granted_by, purchase_id,
       withdrawn_at, withdrawn_by, withdraw_reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8::date + interval '12 hours', case when $8::date is not null then $6 end,
       case when $8::date is not null then 'Left' end)
     returning id`,
    [
      grant.user_id ?? null,
      grant.cohort_id ?? null,
      grant.product_id ?? null,
      grant.starts_on ?? '2000-01-01',
      grant.ends_on ?? null,
      STAFF,
      grant.purchase_id ?? null,
      grant.withdrawn_on ?? null,
    ],
  );
  return (rows[0] as { id: string }).id;
}

/**
 * Returns the lines of the audit log about the learner. With `after`, returns only the lines that were written after
 * the line with this id.
 */
export async function listAuditLines(db: Database, { user_id }: Learner, after = '0') {
  const { rows } = await db.query<{
    id: string;
    actor: string;
    action: string;
    product_id: string;
    detail: unknown;
  }>('select id, actor, action, product_id, detail from audit where user_id = $1 and id > $2 order by id', [
    user_id,
    after,
  ]);
  return rows;
}

/** Returns the id of the newest line of the audit log about the learner, or '0' if there is no such line. */
export async function findLastLine(db: Database, learner: Learner): Promise<string> {
  return (await listAuditLines(db, learner)).at(-1)?.id ?? '0';
}

/** Returns the learner's products on the day `today`, as the portal lists them. Returns null if the session has ended. */
export async function listProductsOf(db: Database, learner: Identity, today: string) {
  return listMyProducts(db, learner, await readOffer(db, today));
}
