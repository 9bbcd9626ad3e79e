// Adds free codes in batches, lists the batches, and counts the codes of a batch by state. A batch is a group of codes
// that were added together, for example by one upload.
import type { Batch, BatchRecord, Coupon } from '@portal/contract';
import { asRowId, type Db } from '../../db/database.ts';
import { idOfCursor, type Page, type Total } from '../../db/prefix-search.sql.ts';
import { listLookalikes } from '../people/addresses.sql.ts';

/** Creates a batch, which stores the source of its codes and who added them. Returns the id of the batch. */
export async function createBatch(
  db: Db,
  batch: {
    product_id: string;
    source: 'form' | 'file' | 'generated';
    file_name?: string | undefined;
    created_by: string;
    /** The number of codes of the batch. Missing for an import, which stores the number when it ends. */
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
  /** True if the partner does not know the code, because the portal made it. */
  unconfirmed: boolean;
};

/**
 * Adds a free code. If the product already has this code with the void reason 'mistake', the existing code becomes free
 * again, in the new batch (N-70). Claims assign such a code last of the codes with the same last day (`pos`). Returns
 * null if the product has this code in any other state, or a code that looks the same (R-MAP-02). A shared code may be
 * added several times; the result is null only if its text is void. `coupon_code` must be in its canonical form, and
 * `use_by` after today.
 */
export async function createCoupon(db: Db, coupon: NewCode): Promise<Coupon | null> {
  const { product_id, coupon_code, shared } = coupon;
  const codes = [coupon_code];
  await lockStock(db, product_id);
  if (shared) {
    await freeSharedAgain(db, product_id, codes);
    const { rowCount } = await db.query(
      `select 1 from coupon where product_id = $1 and shared and coupon_code = $2 and voided_at is not null
         and void_reason <> 'expired' limit 1`,
      [product_id, coupon_code],
    );
    if (rowCount > 0) return null;
  } else if ((await listLookalikes(db, { product_id, codes })).length > 0) return null;
  const { rows } = await db.query<Coupon>(
    `insert into coupon as c (product_id, batch_id, coupon_code, shared, usage_limit, use_by, unconfirmed)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (product_id, coupon_code) where not shared do update set
       batch_id = excluded.batch_id, use_by = excluded.use_by, usage_limit = excluded.usage_limit, pos = default,
       voided_at = null, voided_by = null, void_reason = null, unconfirmed = excluded.unconfirmed
     where c.void_reason = 'mistake'
     returning c.id, c.coupon_code, c.product_id, c.assigned_at, c.usage_limit, c.batch_id, 'free' as state,
       c.unconfirmed, nullif(c.use_by, 'infinity') as use_by, null as email`,
    [
      ...[product_id, coupon.batch_id, coupon_code, shared, coupon.usage_limit, coupon.use_by],
      coupon.unconfirmed,
    ],
  );
  return rows[0] ?? null;
}

/** Codes of an upload, in their canonical form. `use_by` contains the last day of each code, or 'infinity'. */
type UploadedCodes = {
  product_id: string;
  batch_id: string;
  codes: readonly string[];
  use_by: readonly string[];
};

/**
 * Adds free codes in the given order. Skips codes that the product already has, or that look like a code of the product
 * (R-MAP-02). Existing codes with the void reason 'mistake' are not skipped; they become free again (R-LIFE-21).
 * Records that the batch also contains the skipped codes, so that these codes stay free if the batch that added them is
 * undone. `generated` is true if the portal has generated the codes. Returns the positions in `codes` of the skipped
 * codes, in ascending order. Locks the product until the transaction ends. Without this lock, two imports with the same
 * codes in different orders would deadlock. Sorting the codes would prevent the deadlock too, but claims must use the
 * partner's order.
 */
export async function createCoupons(
  db: Db,
  given: UploadedCodes & { shared: boolean; generated?: boolean },
): Promise<number[]> {
  const { product_id, batch_id, shared, codes, use_by, generated = false } = given;
  await lockStock(db, product_id);
  if (shared) await freeSharedAgain(db, product_id, codes);
  // If a code that is not shared occurs twice in `codes`, only its first occurrence is used, because one statement
  // cannot update a row twice.
  const { rows } = await db.query<{ position: number }>(
    `with given as (
       select code, use_by, n from unnest($4::text[], $5::date[]) with ordinality as given (code, use_by, n)
     ), fresh as (
       select distinct on (case when $3 then n else 0 end, code) code, use_by, n
       from given
       where case when $3 then not exists (
         select 1 from coupon v where v.product_id = $1 and v.shared and v.coupon_code = code
           and v.voided_at is not null and v.void_reason <> 'expired') else not exists (select from lookalikes($1, code)) end
       order by case when $3 then n else 0 end, code, n
     ), added as (
       insert into coupon as c (product_id, batch_id, shared, coupon_code, use_by, unconfirmed)
       select $1, $2, $3, code, use_by, $6 from fresh order by n
       on conflict (product_id, coupon_code) where not shared do update set
         batch_id = excluded.batch_id, use_by = excluded.use_by, usage_limit = excluded.usage_limit, pos = default,
         voided_at = null, voided_by = null, void_reason = null, unconfirmed = excluded.unconfirmed
       where c.void_reason = 'mistake'
       returning id, coupon_code
     ), noted as (
       insert into generated_code (coupon_id) select id from added where $6
     )
     select n::int - 1 as position from given
     where n not in (select n from fresh where code in (select coupon_code from added)) order by n`,
    [product_id, batch_id, shared, codes, use_by, generated],
  );
  const skipped = rows.map(({ position }) => position);
  if (skipped.length > 0 && !shared) {
    const onlySkipped = (all: readonly string[]) => skipped.map((position) => all[position] ?? '');
    await noteSkipped(db, { product_id, batch_id, codes: onlySkipped(codes), use_by: onlySkipped(use_by) });
  }
  return skipped;
}

/**
 * Records in coupon_source that the batch contains codes of other batches, or codes that look like them (R-MAP-02),
 * with their last days in this batch. Leaves out codes that somebody holds, and codes with the void reason 'dead'. Uses
 * the first row of a code that is twice in the file.
 */
async function noteSkipped(db: Db, { product_id, batch_id, codes, use_by }: UploadedCodes): Promise<void> {
  await db.query(
    `with given as (
       select distinct on (code) code, use_by, n
       from unnest($3::text[], $4::date[]) with ordinality as given (code, use_by, n) order by code, n
     ), alike as (
       select code, use_by, n from given
       union all
       select l.coupon_code, given.use_by, given.n from given cross join lateral lookalikes($1, given.code) l
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

/** Records that the portal has generated this code, so that the list of generated codes contains it (R-IMP-15). */
export async function noteGenerated(db: Db, coupon_id: string): Promise<void> {
  await db.query('insert into generated_code (coupon_id) values ($1)', [coupon_id]);
}

// A shared code has several rows with the same text. One void row makes the text void, so that nobody else gets it.
// This function makes the rows with the void reason 'mistake' free again.
async function freeSharedAgain(db: Db, product_id: string, codes: readonly string[]): Promise<void> {
  await db.query(
    `update coupon set voided_at = null, voided_by = null, void_reason = null
     where product_id = $1 and shared and coupon_code = any($2) and voided_at is not null
       and void_reason = 'mistake'`,
    [product_id, codes],
  );
}

/**
 * Locks the product until the transaction ends, so that uploads, assignments of shared codes, and bulk changes of
 * codes run one after the other. Claims do not wait for this lock. Returns whether the product's codes are shared.
 */
export async function lockStock(db: Db, product_id: string): Promise<{ shared: boolean }> {
  const { rows } = await db.query<{ shared: boolean }>(
    'select shared_coupon as shared from product where product_id = $1 for no key update',
    [product_id],
  );
  return { shared: rows[0]?.shared ?? false };
}

// SQL of the columns of a batch. The import stores `codes` when it ends. Until then, `codes` is the number of codes
// that the import has added so far. The previous version of the portal stored no number for a single code, so the
// default is 1.
const BATCH = `
  b.id, b.product_id, b.source, b.file_name, b.created_by, b.created_at,
  coalesce(b.codes, (select max(i.success) from bulk_job i where i.batch_id = b.id and i.kind = 'coupons'), 1) as codes`;
/** Selects the batches of one product; without `product_id`, all batches. `product_id` must be a UUID. */
export type BatchFilter = { product_id?: string | undefined };

/** Returns one page of the batches with more than one code, newest first (R-LIFE-17). */
export async function listBatches(
  db: Db,
  { product_id, limit, after }: BatchFilter & Page,
): Promise<Batch[]> {
  // The planner uses the index of a product's batches only for the plain condition `product_id = …`.
  const { rows } = await db.query<Batch>(
    `select ${BATCH} from coupon_batch b
     where b.codes > 1 and b.id < coalesce($2::bigint, 9223372036854775807)
       and ${product_id === undefined ? '$3::uuid is null' : 'b.product_id = $3'}
     order by b.id desc limit $1`,
    [limit, idOfCursor(after), product_id ?? null],
  );
  return rows;
}

export async function countBatches(db: Db, { product_id }: BatchFilter): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from coupon_batch where codes > 1 and ($1::uuid is null or product_id = $1)`,
    [product_id ?? null],
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}

/**
 * Locks a batch until the transaction ends, so that only one bulk action on the batch is stored at a time. Returns true
 * if an import into the batch, or a bulk action on it, is running.
 */
export async function lockBatch(db: Db, id: string): Promise<boolean> {
  await db.query('select 1 from coupon_batch where id = $1 for no key update', [asRowId(id)]);
  const { rows } = await db.query<{ busy: boolean }>(
    "select exists (select from bulk_job where batch_id = $1 and state = 'running') as busy",
    [asRowId(id)],
  );
  return rows[0]?.busy ?? false;
}

// SQL conditions that select the codes of a batch by stored state. Each condition has its own index `coupon_batch_…`.
// `free` also selects expired codes, until the job has made them void.
const IN_BATCH = {
  free: 'assigned_by is null and voided_by is null',
  assigned: 'assigned_by is not null',
  revoked: 'assigned_by is not null and revoked_by is not null',
  void: 'voided_by is not null',
};
/** Maximum number of other batches that `findBatch` returns. */
const NAMED_BATCHES = 5;
// SQL that selects the free codes of the batch $1 that other batches contain too, with the ids of these batches. Shared
// codes have a statement of their own, because coupon_source has no rows for them: each upload of a shared code adds a
// row to coupon.
const IS_UNUSED = 'c.assigned_by is null and c.voided_by is null and c.use_by > $2::date';
const KEPT = {
  single: `select s.coupon_id::text as code, s.named_by as id from coupon_source s join coupon c on c.id = s.coupon_id
    where s.batch_id = $1 and c.batch_id = $1 and ${IS_UNUSED} and s.named_by not in (select v.batch_id from batch_made_void v)`,
  shared: `select distinct c.coupon_code as code, o.batch_id as id from coupon c join coupon o
      on o.product_id = c.product_id and o.shared and o.coupon_code = c.coupon_code and o.batch_id <> $1
    where c.batch_id = $1 and c.shared and ${IS_UNUSED} and o.batch_id not in (select v.batch_id from batch_made_void v)`,
};
const count = (condition: string) =>
  `(select count(*)::int from coupon c where c.batch_id = $1 and ${condition})`;
const firstDay = (order: 'asc' | 'desc') =>
  `(select c.use_by + 0 from coupon c where c.batch_id = $1 and ${IN_BATCH.free} and c.use_by + 0 > $2::date
    order by c.use_by + 0 ${order} limit 1)`;

type Found = BatchRecord & { shared: boolean };

/**
 * Returns a batch with the number of its codes in each state on the day `today`; null if there is no such batch. Each
 * number is counted from its own index (`coupon_batch_…`), so that a million codes are counted fast.
 */
export async function findBatch(db: Db, id: string, today: string): Promise<Found | null> {
  const { rows } = await db.query<Omit<Found, 'kept' | 'kept_by'>>(
    `with counted as materialized (
       select ${count(IN_BATCH.free)} as free, ${count(IN_BATCH.assigned)} as assigned,
              ${count(IN_BATCH.revoked)} as revoked, ${count(IN_BATCH.void)} as void,
              ${count(`${IN_BATCH.void} and void_reason = 'expired'`)} as expired,
              ${count(`${IN_BATCH.free} and c.use_by + 0 <= $2::date`)} as late,
              ${firstDay('asc')} as first_day, ${firstDay('desc')} as last_day
     )
     select ${BATCH}, n.free - n.late as free, n.assigned - n.revoked as held, n.revoked, n.void - n.expired as void,
            n.expired + n.late as expired,
            case when p.shared_coupon or b.codes is null then 0
                 else greatest(b.codes - n.free - n.assigned - n.void, 0) end as moved,
            case when n.first_day = n.last_day then nullif(n.first_day, 'infinity') end as use_by,
            coalesce(n.first_day <> n.last_day, false) as use_by_mixed,
            n.free + n.expired as datable, p.shared_coupon as shared,
            (select i.id from bulk_job i
             where i.batch_id = b.id and i.kind in ('void', 'use_by') and i.state = 'running'
             order by i.created_at desc limit 1) as running_job,
            (select i.id from bulk_job i where i.batch_id = b.id and i.kind = 'coupons' limit 1) as import_id
     from coupon_batch b join product p on p.product_id = b.product_id cross join counted n where b.id = $1`,
    [asRowId(id), today],
  );
  const [found] = rows;
  return found === undefined ? null : { ...found, ...(await findKept(db, id, { ...found, today })) };
}

/**
 * Counts the free codes of a batch that other batches contain too. Returns the count, and at most NAMED_BATCHES of
 * these other batches.
 */
async function findKept(
  db: Db,
  id: string,
  { free, shared, today }: { free: number; shared: boolean; today: string },
): Promise<Pick<BatchRecord, 'kept' | 'kept_by'>> {
  if (free === 0) return { kept: 0, kept_by: [] };
  const { rows } = await db.query<Pick<BatchRecord, 'kept' | 'kept_by'>>(
    `with named as materialized (${shared ? KEPT.shared : KEPT.single})
     select (select count(distinct code)::int from named) as kept, coalesce((
       select jsonb_agg(jsonb_build_object('id', id::text, 'file_name', file_name, 'codes', codes) order by codes desc, id)
       from (
         select n.id, b.file_name, count(*)::int as codes from named n join coupon_batch b on b.id = n.id
         group by n.id, b.file_name order by codes desc, n.id limit ${NAMED_BATCHES}
       ) other), '[]') as kept_by`,
    [id, today],
  );
  return rows[0] as Pick<BatchRecord, 'kept' | 'kept_by'>;
}
