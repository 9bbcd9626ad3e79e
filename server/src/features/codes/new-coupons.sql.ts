// Adds free codes. Each code belongs to a batch, which records where the code comes from.
import type { Coupon } from '@portal/contract';
import { sqlColumns } from '../../db/columns.ts';
import type { Db } from '../../db/database.ts';
import { listLookalikes, lookalikesOf } from '../people/addresses.sql.ts';
import { COUPON_ON_ANY_DAY } from './coupons.sql.ts';

/**
 * Creates a batch of codes. The batch records where its codes come from and who added them. Returns the id of the
 * batch.
 */
export async function createBatch(
  db: Db,
  batch: {
    product_id: string;
    source: 'form' | 'file' | 'generated';
    file_name?: string | undefined;
    created_by: string;
    /** The number of codes that the batch adds. Missing for an import, which stores the number when it ends. */
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
  /** The last day on which the partner accepts the code, or 'infinity'. */
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
 * Adds a free code. If the product already has this code with the void reason 'mistake', the existing code becomes free
 * again, in the new batch (N-70). Returns null if the product has this code in any other state, or a code that looks like
 * it (R-MAP-02). `coupon_code` must be in its canonical form. A shared code may be added several times; null means that its
 * text is void. The last day of a new code must be after today.
 */
export async function createCoupon(db: Db, coupon: NewCode): Promise<Coupon | null> {
  await placeNewCodes(db, coupon.product_id, [coupon.use_by]);
  if (coupon.shared && (await isRefusedShared(db, coupon))) return null;
  const { product_id, coupon_code } = coupon;
  if (!coupon.shared && (await listLookalikes(db, { product_id, codes: [coupon_code] })).length > 0)
    return null;
  const { rows } = await db.query<Coupon>(
    `with c as (
       insert into coupon as c (${NEW_CODE.list}) values (${NEW_CODE.params}) ${FREE_AGAIN} returning *
     )
     select ${COUPON_ON_ANY_DAY} from c left join app_user u on u.id = c.holder`,
    NEW_CODE.valuesOf(coupon),
  );
  return rows[0] ?? null;
}

// A code that becomes free again gets a new `pos`. So it comes last among the codes with the same last day.
const FREE_AGAIN = `
  on conflict (product_id, coupon_code) where not shared do update set
    batch_id = excluded.batch_id, use_by = excluded.use_by, usage_limit = excluded.usage_limit, pos = default,
    voided_at = null, voided_by = null, void_reason = null
  where c.void_reason = 'mistake'`;

/**
 * Adds free codes in the given order. `use_by` contains the last day of each code, or 'infinity'. Skips codes that the
 * product already has, or that look like one that it has (R-MAP-02), but codes with the void reason 'mistake' become free
 * again (R-LIFE-21). `codes` must be in their canonical form. Notes of a skipped code that the batch names it too: it stays
 * free if its own batch is taken back. `generated` says whether the portal has generated the codes. Returns the positions
 * in `codes` of the skipped codes, in ascending order.
 * Locks the product until the transaction ends. Otherwise two imports with the same codes in different orders would
 * deadlock. Sorting the codes would prevent the deadlock too, but claims must use the partner's order.
 */
export async function createCoupons(
  db: Db,
  {
    product_id,
    batch_id,
    shared,
    codes,
    use_by,
    generated = false,
  }: {
    product_id: string;
    batch_id: string;
    shared: boolean;
    codes: readonly string[];
    use_by: readonly string[];
    generated?: boolean;
  },
): Promise<number[]> {
  await placeNewCodes(db, product_id, use_by);
  if (shared) await freeSharedAgain(db, product_id, codes);
  // If a single-use code occurs twice in `codes`, only its first occurrence is used: one statement cannot update a row
  // twice.
  const { rows } = await db.query<{ position: number }>(
    `with given as (
       select code, use_by, n from unnest($4::text[], $5::date[]) with ordinality as given (code, use_by, n)
     ), fresh as (
       select distinct on (case when $3 then n else 0 end, code) code, use_by, n
       from given
       where case when $3 then not exists (
         select 1 from coupon v where v.product_id = $1 and v.shared and v.coupon_code = code
           and v.voided_at is not null and v.void_reason <> 'expired') else not exists (${lookalikesOf('$1', 'code')}) end
       order by case when $3 then n else 0 end, code, n
     ), added as (
       insert into coupon as c (product_id, batch_id, shared, coupon_code, use_by)
       select $1, $2, $3, code, use_by from fresh order by n
       ${FREE_AGAIN} returning id, coupon_code
     ), noted as (
       insert into generated_code (coupon_id) select id from added where $6
     )
     select n::int - 1 as position from given
     where n not in (select n from fresh where code in (select coupon_code from added)) order by n`,
    [product_id, batch_id, shared, codes, use_by, generated],
  );
  const skipped = rows.map(({ position }) => position);
  if (skipped.length > 0 && !shared) {
    const again = (all: readonly string[]) => skipped.map((position) => all[position] ?? '');
    await noteNamedAgain(db, { product_id, batch_id, codes: again(codes), use_by: again(use_by) });
  }
  return skipped;
}

/**
 * Notes that the batch names codes of other batches, or codes that look like them (R-MAP-02), and with which last days.
 * Leaves out codes that somebody holds or that are void for good. Of a code that a file has twice, the first line counts.
 */
async function noteNamedAgain(
  db: Db,
  {
    product_id,
    batch_id,
    codes,
    use_by,
  }: { product_id: string; batch_id: string; codes: readonly string[]; use_by: readonly string[] },
): Promise<void> {
  await db.query(
    `with given as (
       select distinct on (code) code, use_by, n
       from unnest($3::text[], $4::date[]) with ordinality as given (code, use_by, n) order by code, n
     ), alike as (
       select code, use_by, n from given
       union all
       select l.coupon_code, given.use_by, given.n from given cross join lateral (${lookalikesOf('$1', 'given.code')}) l
     )
     insert into coupon_source as s (coupon_id, batch_id, named_by, use_by)
     select distinct on (c.id) c.id, c.batch_id, $2, alike.use_by from alike
       cross join lateral (
         select id, batch_id from coupon
         where product_id = $1 and coupon_code = alike.code and not shared and holder is null
           and batch_id <> $2 and void_reason is distinct from 'dead' offset 0) c
     order by c.id, alike.n
     on conflict (coupon_id, named_by) do update set batch_id = excluded.batch_id where s.batch_id <> excluded.batch_id`,
    [product_id, batch_id, codes, use_by],
  );
}

/** Notes that the portal has generated this code, so that the list of generated codes contains it (R-IMP-15). */
export async function noteGenerated(db: Db, coupon_id: string): Promise<void> {
  await db.query('insert into generated_code (coupon_id) values ($1)', [coupon_id]);
}

// One void row makes the text of a shared code void, in all rows. If a text with the void reason 'mistake' is uploaded
// again, its void rows become free again.
async function freeSharedAgain(db: Db, product_id: string, codes: readonly string[]): Promise<void> {
  await db.query(
    `update coupon set voided_at = null, voided_by = null, void_reason = null
     where product_id = $1 and shared and coupon_code = any($2) and voided_at is not null
       and void_reason = 'mistake'`,
    [product_id, codes],
  );
}

/**
 * If the text of a shared code has the void reason 'mistake', makes the text usable again. Returns true if the text is
 * void for another reason, so that the code must not be added.
 */
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
 * Locks the product until the transaction ends, so that uploads, assignments of shared codes, and changes of many codes
 * run one after the other. Claims do not wait for this lock. Returns whether the product's codes are shared.
 */
export async function lockStock(db: Db, product_id: string): Promise<{ shared: boolean }> {
  const { rows } = await db.query<{ shared: boolean }>(
    'select shared_coupon as shared from product where product_id = $1 for no key update',
    [product_id],
  );
  return { shared: rows[0]?.shared ?? false };
}

/**
 * Makes the product's claim hints invalid in all processes. Call this function before free codes are added that may
 * come anywhere in the order of claims, and before many free codes become void or get another last day. Like
 * `lockStock`, locks the product until the transaction ends.
 */
export async function restock(db: Db, product_id: string): Promise<{ shared: boolean }> {
  const { rows } = await db.query<{ shared: boolean }>(
    `update product set stock_version = stock_version + 1 where product_id = $1 returning shared_coupon as shared`,
    [product_id],
  );
  return { shared: rows[0]?.shared ?? false };
}

/**
 * Prepares the product for new codes with the last days `use_by`. If no new code has a last day, the new codes come
 * after all others in the order of claims, so claim hints stay valid. Otherwise all claim hints become invalid. Locks
 * the product until the transaction ends.
 */
async function placeNewCodes(db: Db, product_id: string, use_by: readonly string[]): Promise<void> {
  if (use_by.some((day) => day !== 'infinity')) await restock(db, product_id);
  else await lockStock(db, product_id);
}
