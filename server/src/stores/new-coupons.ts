// Adds free codes, each with the batch that brought it.
import type { Coupon } from '@portal/contract';
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import { COUPON } from './coupons.ts';

/** Creates a batch, which records the source of codes and who added them. Returns its id. */
export async function createBatch(
  db: Db,
  batch: {
    product_id: string;
    source: 'form' | 'file' | 'generated';
    file_name?: string | undefined;
    created_by: string;
    /** How many codes it adds; missing while an import runs, which records the number at its end. */
    codes?: number;
  },
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    'insert into coupon_batch (product_id, source, file_name, created_by, codes) values ($1, $2, $3, $4, $5) returning id',
    [batch.product_id, batch.source, batch.file_name ?? null, batch.created_by, batch.codes ?? null],
  );
  return (rows[0] as { id: string }).id;
}

export type NewCode = {
  product_id: string;
  batch_id: string;
  coupon_code: string;
  shared: boolean;
  usage_limit: number | null;
  /** The last day, or 'infinity'. */
  use_by: string;
};
export const NEW_CODE = sqlColumns<NewCode>({
  product_id: true,
  batch_id: true,
  coupon_code: true,
  shared: true,
  usage_limit: true,
  use_by: true,
});

/**
 * Adds a free code. A code that is void because it was uploaded by mistake becomes free again in the new batch (N-70).
 * Returns null if the product has the code, unless `shared`.
 */
export async function createCoupon(db: Db, coupon: NewCode): Promise<Coupon | null> {
  await placeNewCodes(db, coupon.product_id, [coupon.use_by]);
  if (coupon.shared && (await isRefusedShared(db, coupon))) return null;
  const { rows } = await db.query<Coupon>(
    `with c as (
       insert into coupon as c (${NEW_CODE.list}) values (${NEW_CODE.params}) ${FREE_AGAIN} returning *
     )
     select ${COUPON} from c left join app_user u on u.id = c.holder`,
    NEW_CODE.valuesOf(coupon),
  );
  return rows[0] ?? null;
}

// A code that becomes free again goes to the end of the order of claims.
const FREE_AGAIN = `
  on conflict (product_id, coupon_code) where not shared do update set
    batch_id = excluded.batch_id, use_by = excluded.use_by, usage_limit = excluded.usage_limit, pos = default,
    voided_at = null, voided_by = null, void_reason = null
  where c.void_reason = 'mistake'`;

/**
 * Adds free codes in the given order, each with its last day ('infinity' if there is none), without those that the
 * product already has. Codes that are void because they were uploaded by mistake become free again (R-LIFE-21). Returns
 * the number of added codes. Locks the product until the transaction ends. Otherwise two imports with the same codes in
 * different orders would deadlock. Sorting would prevent the deadlock too, but claims must use the partner's order.
 */
export async function createCoupons(
  db: Db,
  {
    product_id,
    batch_id,
    shared,
    codes,
    use_by,
  }: {
    product_id: string;
    batch_id: string;
    shared: boolean;
    codes: readonly string[];
    use_by: readonly string[];
  },
): Promise<number> {
  await placeNewCodes(db, product_id, use_by);
  if (shared) await freeSharedAgain(db, product_id, codes);
  // One statement cannot update a row twice, so a repeated code is left out here.
  const { rowCount } = await db.query(
    `insert into coupon as c (product_id, batch_id, shared, coupon_code, use_by)
     select $1, $2, $3, code, use_by
     from (select distinct on (case when $3 then n else 0 end, code) code, use_by, n
           from unnest($4::text[], $5::date[]) with ordinality as given (code, use_by, n)
           where not $3 or not exists (
             select 1 from coupon v where v.product_id = $1 and v.shared and v.coupon_code = code
               and v.voided_at is not null and v.void_reason <> 'expired')
           order by case when $3 then n else 0 end, code, n) fresh
     order by n
     ${FREE_AGAIN}`,
    [product_id, batch_id, shared, codes, use_by],
  );
  return rowCount;
}

// The texts of a shared product are void or not as a whole. Uploading a text that was void by mistake allows it again.
async function freeSharedAgain(db: Db, product_id: string, codes: readonly string[]): Promise<void> {
  await db.query(
    `update coupon set voided_at = null, voided_by = null, void_reason = null
     where product_id = $1 and shared and coupon_code = any($2) and void_reason = 'mistake'`,
    [product_id, codes],
  );
}

/** Frees the text of a shared code if it was void by mistake. Returns true if it is void for another reason. */
async function isRefusedShared(db: Db, { product_id, coupon_code }: NewCode): Promise<boolean> {
  await freeSharedAgain(db, product_id, [coupon_code]);
  const { rowCount } = await db.query(
    `select 1 from coupon where product_id = $1 and shared and coupon_code = $2 and voided_at is not null
       and void_reason <> 'expired' limit 1`,
    [product_id, coupon_code],
  );
  return rowCount > 0;
}

/**
 * Locks the product until the transaction ends, for changes that uploads and shared codes must not make at the same
 * time. Claims do not wait. Returns whether its codes are shared.
 */
export async function lockStock(db: Db, product_id: string): Promise<{ shared: boolean }> {
  const { rows } = await db.query<{ shared: boolean }>(
    'select shared_coupon as shared from product where product_id = $1 for no key update',
    [product_id],
  );
  return { shared: rows[0]?.shared ?? false };
}

/**
 * Makes claim hints of the product invalid in all processes, because codes become free that may come anywhere in the
 * order of claims. Locks the product until the transaction ends.
 */
export async function restock(db: Db, product_id: string): Promise<void> {
  await db.query(
    `update product set stock_version = stock_version + 1, claim_use_by = null, claim_pos = null where product_id = $1`,
    [product_id],
  );
}

/**
 * Prepares for new codes with these last days: of equal days, they come last in the order of claims. Hints stay valid if
 * none of the codes expires; else the recorded place stays valid if it is not after their first day. So claims during an
 * upload do not search all codes that were assigned before. Locks the product until the transaction ends.
 */
async function placeNewCodes(db: Db, product_id: string, use_by: readonly string[]): Promise<void> {
  const first = use_by.toSorted()[0] ?? 'infinity';
  if (first === 'infinity') {
    await lockStock(db, product_id);
    return;
  }
  await db.query(
    `update product set stock_version = stock_version + 1, claim_use_by = case when claim_use_by > $2 then $2 else claim_use_by end,
       claim_pos = case when claim_use_by > $2 then 0 else claim_pos end
     where product_id = $1`,
    [product_id, first],
  );
}
