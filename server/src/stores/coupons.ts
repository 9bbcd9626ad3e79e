// Coupons: listing and adding codes, and the codes that users hold.
import type { Coupon } from '@portal/contract';
import type { Db } from '../db/database.ts';

export type CouponFilter = {
  /** Begins the code, or the holder's address; whatever the case. */
  q?: string | undefined;
  product_id?: string | undefined;
  status?: 'available' | 'assigned' | undefined;
};

// Each filter is a constant of its own, so that a combination is one of few prepared statements.
const MATCHES = {
  q: `(c.id in (select id from coupon where lower(coupon_code) ~>=~ $Q and lower(coupon_code) ~<~ $R
        union all
        select h.id from app_user a join coupon h on h.holder = a.id where a.email ~>=~ $Q and a.email ~<~ $R))`,
  product_id: 'c.product_id = $P',
  available: 'c.holder is null',
  assigned: 'c.holder is not null',
};

function filterCoupons(
  { q, product_id, status }: CouponFilter,
  first: number,
): { where: string; params: unknown[] } {
  const params: unknown[] = [];
  const take = (value: unknown) => `$${first - 1 + params.push(value)}`;
  const conditions = ['true'];
  if (q) {
    const [from, to] = [take(q.toLowerCase()), take(`${q.toLowerCase()}\u{10ffff}`)];
    conditions.push(MATCHES.q.replaceAll('$Q', from).replaceAll('$R', to));
  }
  if (product_id) conditions.push(MATCHES.product_id.replace('$P', take(product_id)));
  if (status) conditions.push(MATCHES[status]);
  return { where: conditions.join(' and '), params };
}

/** At most `limit` coupons older than the one with id `before`, newest first. `product_id` must be a UUID. */
export async function listCoupons(
  db: Db,
  { limit, before, ...filter }: CouponFilter & { limit: number; before?: string | undefined },
): Promise<Coupon[]> {
  const { where, params } = filterCoupons(filter, 3);
  const { rows } = await db.query<Coupon>(
    `select c.id, c.coupon_code, c.product_id, u.email, c.assigned_at, c.usage_limit
     from coupon c left join app_user u on u.id = c.holder
     where c.id < coalesce($2::bigint, 9223372036854775807) and ${where}
     order by c.id desc limit $1`,
    [limit, before ?? null, ...params],
  );
  return rows;
}

export async function countCoupons(db: Db, filter: CouponFilter): Promise<number> {
  const { where, params } = filterCoupons(filter, 1);
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from coupon c where ${where}`,
    params,
  );
  return rows[0]?.count ?? 0;
}

/** Opens a batch: where codes come from and who brings them. Answers its id. */
export async function createBatch(
  db: Db,
  batch: {
    product_id: string;
    source: 'form' | 'file' | 'generated';
    file_name?: string | undefined;
    created_by: string;
  },
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    'insert into coupon_batch (product_id, source, file_name, created_by) values ($1, $2, $3, $4) returning id',
    [batch.product_id, batch.source, batch.file_name ?? null, batch.created_by],
  );
  return (rows[0] as { id: string }).id;
}

/**
 * Adds a free code. The constraint `coupon_code_once` refuses a code that the product has, unless its codes are shared.
 */
export async function createCoupon(
  db: Db,
  coupon: {
    product_id: string;
    batch_id: string;
    coupon_code: string;
    shared: boolean;
    usage_limit: number | null;
  },
): Promise<Coupon> {
  const { rows } = await db.query<Coupon>(
    `insert into coupon (product_id, batch_id, coupon_code, shared, usage_limit)
     values ($1, $2, $3, $4, $5)
     returning id, coupon_code, product_id, null as email, assigned_at, usage_limit`,
    [coupon.product_id, coupon.batch_id, coupon.coupon_code, coupon.shared, coupon.usage_limit],
  );
  return rows[0] as Coupon;
}

/** Adds free codes in one statement; those that the product has already are left out. Answers how many were added. */
export async function createCoupons(
  db: Db,
  {
    product_id,
    batch_id,
    shared,
    codes,
  }: { product_id: string; batch_id: string; shared: boolean; codes: readonly string[] },
): Promise<number> {
  const { rowCount } = await db.query(
    `insert into coupon (product_id, batch_id, shared, coupon_code)
     select $1, $2, $3, code from unnest($4::text[]) as code
     on conflict do nothing`,
    [product_id, batch_id, shared, codes],
  );
  return rowCount;
}

/** A code in somebody's hands. */
export type HeldCoupon = { id: string; coupon_code: string; assigned_at: string };

/** Adds a code that belongs to a user from the start: one made up, or one more use of a shared one. */
export async function createHeldCoupon(
  db: Db,
  coupon: {
    product_id: string;
    batch_id: string;
    coupon_code: string;
    shared: boolean;
    usage_limit: number | null;
    user_id: string;
    assigned_by: string;
    at: Date;
  },
): Promise<HeldCoupon> {
  const { rows } = await db.query<HeldCoupon>(
    `insert into coupon (product_id, batch_id, coupon_code, shared, usage_limit, holder, assigned_by, assigned_at, is_current)
     values ($1, $2, $3, $4, $5, $6, $7, $8, true)
     returning id, coupon_code, assigned_at`,
    [
      coupon.product_id,
      coupon.batch_id,
      coupon.coupon_code,
      coupon.shared,
      coupon.usage_limit,
      coupon.user_id,
      coupon.assigned_by,
      coupon.at,
    ],
  );
  return rows[0] as HeldCoupon;
}

/** The user's current code of a product, or null. */
export async function findCurrentCoupon(
  db: Db,
  product_id: string,
  user_id: string,
): Promise<HeldCoupon | null> {
  const { rows } = await db.query<HeldCoupon>(
    'select id, coupon_code, assigned_at from coupon where product_id = $1 and holder = $2 and is_current',
    [product_id, user_id],
  );
  return rows[0] ?? null;
}

/** The user's current code becomes a former one; it stays theirs. */
export async function retireCurrentCoupon(db: Db, product_id: string, user_id: string): Promise<void> {
  await db.query(
    'update coupon set is_current = false where product_id = $1 and holder = $2 and is_current',
    [product_id, user_id],
  );
}

/** Keeps other changes to the user's codes of every product out until the transaction ends; claims go on. */
export async function lockUser(db: Db, user_id: string): Promise<void> {
  await db.query('select 1 from app_user where id = $1 for no key update', [user_id]);
}

export type SharedCode = { batch_id: string; coupon_code: string; usage_limit: number | null; uses: number };

/**
 * The newest code of a shared product, or null without any; `uses`, how often it was given, is counted only
 * when there is a limit. Locks the product until
 * the transaction ends, so that the count stays true until a use was added.
 */
export async function lockSharedCode(db: Db, product_id: string): Promise<SharedCode | null> {
  await db.query('select 1 from product where product_id = $1 for no key update', [product_id]);
  const { rows } = await db.query<SharedCode>(
    `select newest.batch_id, newest.coupon_code, newest.usage_limit,
            case when newest.usage_limit is null then 0 else (
              select count(*)::int from coupon used
              where used.product_id = $1 and used.shared and used.coupon_code = newest.coupon_code
                and used.holder is not null) end as uses
     from (select batch_id, coupon_code, usage_limit from coupon
           where product_id = $1 and shared order by id desc limit 1) newest`,
    [product_id],
  );
  return rows[0] ?? null;
}
