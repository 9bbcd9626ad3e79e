// Lists and searches coupons, and adds free, generated and shared codes.
import type { Coupon } from '@portal/contract';
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import {
  COUNTED_MATCHES,
  countedMatches,
  cursorOf,
  findPrefixRange,
  idOfCursor,
  type Page,
  type Place,
  type PrefixRange,
  searchParts,
  type Total,
} from './prefix-search.ts';

export type CouponFilter = {
  product_id?: string | undefined;
  status?: 'available' | 'assigned' | undefined;
};

const COUPON_COLUMNS = sqlColumns<Omit<Coupon, 'email'>>({
  id: true,
  coupon_code: true,
  product_id: true,
  assigned_at: true,
  usage_limit: true,
});
const COUPON = `${COUPON_COLUMNS.of('c')}, u.email`;
// A slice is one combination of a product and a state (free or assigned) that matches the filter. An index contains the
// codes of each slice in the order of the list. So the first codes of a slice are read without sorting.
const SLICES = `(
  select p.product_id, s.assigned from product p cross join (values (true), (false)) s (assigned)
  where ($1::uuid is null or p.product_id = $1) and ($2::boolean is null or s.assigned = $2)) slice`;
// Maximum number of users that a search by address considers. This is enough, because people type more letters until
// they find the person.
const MAX_ADDRESSES = 1_000;
const CODE = 'lower(c.coupon_code) collate "C"';
const CODE_MATCHES = `${CODE} >= $3 and ${CODE} < $4`;

function sliceParams({ product_id, status }: CouponFilter): unknown[] {
  return [product_id ?? null, status ? status === 'assigned' : null];
}

/** Returns one page of coupons, newest first. `product_id` must be a UUID. */
export async function listCoupons(
  db: Db,
  { limit, after, isExport, ...filter }: CouponFilter & Page,
): Promise<Coupon[]> {
  if (isExport || (!filter.product_id && !filter.status)) return walkCoupons(db, { limit, after, ...filter });
  const { rows } = await db.query<Coupon>(
    `select ${COUPON} from ${SLICES}
     cross join lateral (
       select * from coupon c
       where c.product_id = slice.product_id and c.assigned = slice.assigned
         and -c.id > coalesce(-$4::bigint, -9223372036854775807)
       order by -c.id limit $3
     ) c left join app_user u on u.id = c.holder
     order by c.id desc limit $3`,
    [...sliceParams(filter), limit, idOfCursor(after)],
  );
  return rows;
}

// Reads the codes in the order of their ids. For an export, or a list without a filter, one such query is faster than
// one query for each product and state.
async function walkCoupons(db: Db, { limit, after, ...filter }: CouponFilter & Page): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON} from coupon c left join app_user u on u.id = c.holder
     where c.id < coalesce($4::bigint, 9223372036854775807)
       and ($1::uuid is null or c.product_id = $1) and ($2::boolean is null or c.assigned = $2)
     order by c.id desc limit $3`,
    [...sliceParams(filter), limit, idOfCursor(after)],
  );
  return rows;
}

/**
 * Returns one page of the coupons that match `q`, ignoring case. First come coupons whose code begins with `q`, sorted
 * by code. Then come coupons whose holder's address begins with `q`, sorted by address.
 * The search by address considers only the first MAX_ADDRESSES users whose address matches. Users without codes count
 * towards this limit.
 * `product_id` must be a UUID.
 */
export async function searchCoupons(
  db: Db,
  { q, limit, after, ...filter }: CouponFilter & Page & { q: string },
): Promise<Coupon[]> {
  const prefix = await findPrefixRange(db, q);
  return searchParts(prefix, { limit, after }, [
    (part) => searchByCode(db, { ...filter, ...part, prefix }),
    // A free code has no holder, so a search by address cannot find it.
    async (part) =>
      filter.status === 'available' ? [] : searchByAddress(db, { ...filter, ...part, prefix }),
  ]);
}

type Search = CouponFilter & { prefix: PrefixRange; from: Place; limit: number };

async function searchByCode(db: Db, { prefix, limit, from, ...filter }: Search): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON}, ${cursorOf(0, { text: CODE, id: 'c.id' })} as cursor from ${SLICES}
     cross join lateral (
       select * from coupon c
       where c.product_id = slice.product_id and c.assigned = slice.assigned
         and (${CODE}, c.id) > ($5 collate "C", $6::bigint) and ${CODE_MATCHES}
       order by ${CODE}, c.id limit $7
     ) c left join app_user u on u.id = c.holder
     order by ${CODE}, c.id limit $7`,
    [...sliceParams(filter), prefix.from, prefix.to, from.text, from.id, limit],
  );
  return rows;
}

// Searches by the holder's address. Skips coupons whose code also begins with the searched text, because `searchByCode`
// has returned them.
async function searchByAddress(db: Db, { prefix, limit, from, product_id }: Search): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON}, ${cursorOf(1, { text: 'u.email', id: 'c.id' })} as cursor from (
       select * from app_user u where u.email collate "C" >= greatest($5 collate "C", $2) and u.email collate "C" < $3
       order by u.email collate "C", u.id limit ${MAX_ADDRESSES}
     ) u cross join lateral (
       select * from coupon c
       where c.holder = u.id and ($1::uuid is null or c.product_id = $1)
         and (u.email collate "C", c.id) > ($5 collate "C", $6::bigint)
         and not (${CODE} >= $2 and ${CODE} < $3)
       order by c.id limit $4
     ) c
     order by u.email collate "C", c.id limit $4`,
    [product_id ?? null, prefix.from, prefix.to, limit, from.text, from.id],
  );
  return rows;
}

/** Returns the number of coupons that `searchCoupons` finds, up to COUNTED_MATCHES. */
export async function countFoundCoupons(
  db: Db,
  { q, ...filter }: CouponFilter & { q: string },
): Promise<Total> {
  const prefix = await findPrefixRange(db, q);
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       (select 1 from ${SLICES} cross join lateral (
          select 1 from coupon c
          where c.product_id = slice.product_id and c.assigned = slice.assigned and ${CODE_MATCHES} limit $5) c
        limit $5)
       union all
       (select 1 from (
          select * from app_user u
          where $2::boolean is distinct from false and u.email collate "C" >= $3 and u.email collate "C" < $4
          order by u.email collate "C", u.id limit ${MAX_ADDRESSES}
        ) u cross join lateral (
          select 1 from coupon c
          where c.holder = u.id and ($1::uuid is null or c.product_id = $1) and not (${CODE_MATCHES})
          order by c.holder, c.id limit $5) c
        limit $5)
     ) found`,
    [...sliceParams(filter), prefix.from, prefix.to, COUNTED_MATCHES + 1],
  );
  return countedMatches(rows[0]?.count ?? 0);
}

/**
 * Creates a batch of codes. A batch records where its codes came from and who added them. Returns the id of the batch.
 */
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

type NewCode = {
  product_id: string;
  batch_id: string;
  coupon_code: string;
  shared: boolean;
  usage_limit: number | null;
};
const NEW_CODE = sqlColumns<NewCode>({
  product_id: true,
  batch_id: true,
  coupon_code: true,
  shared: true,
  usage_limit: true,
});

/**
 * Adds a free code. Throws a unique violation of `coupon_code_once` if the product already has the code. A shared code
 * may be added several times.
 */
export async function createCoupon(db: Db, coupon: NewCode): Promise<Coupon> {
  const { rows } = await db.query<Coupon>(
    `insert into coupon (${NEW_CODE.list}) values (${NEW_CODE.params}) returning ${COUPON_COLUMNS.list}, null as email`,
    NEW_CODE.valuesOf(coupon),
  );
  return rows[0] as Coupon;
}

/**
 * Adds free codes in the given order. Skips codes that the product already has. Returns the number of added codes.
 * Locks the product until the transaction ends, unless the codes are shared. Without the lock, two imports with the
 * same codes in different orders would deadlock. Sorting the codes would prevent the deadlock too, but learners must
 * get the codes in the partner's order.
 */
export async function createCoupons(
  db: Db,
  {
    product_id,
    batch_id,
    shared,
    codes,
  }: { product_id: string; batch_id: string; shared: boolean; codes: readonly string[] },
): Promise<number> {
  if (!shared) await lockProduct(db, product_id);
  const { rowCount } = await db.query(
    `insert into coupon (product_id, batch_id, shared, coupon_code)
     select $1, $2, $3, code from unnest($4::text[]) as code
     on conflict do nothing`,
    [product_id, batch_id, shared, codes],
  );
  return rowCount;
}

/** A code that is assigned to a user. `assigned_at` is in ISO 8601, in UTC. */
export type AssignedCoupon = { id: string; coupon_code: string; assigned_at: string };

type Assignment = { holder: string; assigned_by: string; assigned_at: Date; is_current: true };
const NEW_ASSIGNED_CODE = sqlColumns<NewCode & Assignment>({
  ...NEW_CODE.fields,
  holder: true,
  assigned_by: true,
  assigned_at: true,
  is_current: true,
});

/** Adds a code that is already assigned to a user: a generated code, or one more assignment of a shared code. */
export async function createAssignedCoupon(
  db: Db,
  { user_id, at, ...coupon }: NewCode & { user_id: string; assigned_by: string; at: Date },
): Promise<AssignedCoupon> {
  const { rows } = await db.query<AssignedCoupon>(
    `insert into coupon (${NEW_ASSIGNED_CODE.list}) values (${NEW_ASSIGNED_CODE.params})
     returning id, coupon_code, assigned_at`,
    NEW_ASSIGNED_CODE.valuesOf({ ...coupon, holder: user_id, assigned_at: at, is_current: true }),
  );
  return rows[0] as AssignedCoupon;
}

/** Returns the user's current code of a product, or null if the user has none. */
export async function findCurrentCoupon(
  db: Db,
  product_id: string,
  user_id: string,
): Promise<AssignedCoupon | null> {
  const { rows } = await db.query<AssignedCoupon>(
    'select id, coupon_code, assigned_at from coupon where product_id = $1 and holder = $2 and is_current',
    [product_id, user_id],
  );
  return rows[0] ?? null;
}

async function lockProduct(db: Db, product_id: string): Promise<void> {
  await db.query('select 1 from product where product_id = $1 for no key update', [product_id]);
}

/** Marks the user's current code of a product as no longer current. The code stays assigned to the user. */
export async function retireCurrentCoupon(db: Db, product_id: string, user_id: string): Promise<void> {
  await db.query(
    'update coupon set is_current = false where product_id = $1 and holder = $2 and is_current',
    [product_id, user_id],
  );
}

export type SharedCode = { batch_id: string; coupon_code: string; usage_limit: number | null; uses: number };

/**
 * Returns the newest code of a product with shared codes, or null if the product has no code. `uses` is the
 * number of assignments of this code. It is 0 if the code has no usage limit.
 * Locks the product until the transaction ends. So `uses` is still correct when the caller adds an assignment.
 */
export async function lockSharedCode(db: Db, product_id: string): Promise<SharedCode | null> {
  await lockProduct(db, product_id);
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
