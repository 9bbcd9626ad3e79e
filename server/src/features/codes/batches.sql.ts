// Lists batches, and counts the codes of a batch by state. A batch is a group of codes that were added together.
import type { Batch, BatchRecord } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { idOfCursor, type Page, type Total } from '../../db/prefix-search.sql.ts';

// SQL of the columns of a batch. `codes` is stored when the import of the batch ends. Until then, `codes` is the number
// of codes that the import has added so far. The previous version stores no number for a single code.
const BATCH = `
  b.id, b.product_id, b.source, b.file_name, b.created_by, b.created_at,
  coalesce(b.codes, (select max(i.success) from import_job i where i.batch_id = b.id and i.kind = 'coupons'), 1) as codes`;
// There are two list statements, for all products and for one product. The planner uses the index of a product's
// batches only for the plain condition `product_id = …`.
const listStatement = (condition: string) => `
  select ${BATCH} from coupon_batch b
  where b.codes > 1 and b.id < coalesce($2::bigint, 9223372036854775807) and ${condition}
  order by b.id desc limit $1`;
const LIST = { ofAll: listStatement('$3::uuid is null'), ofProduct: listStatement('b.product_id = $3') };

/** Selects the batches of one product; without `product_id`, all batches. `product_id` must be a UUID. */
export type BatchFilter = { product_id?: string | undefined };

/** Returns one page of the batches with more than one code, newest first (R-LIFE-17). */
export async function listBatches(
  db: Db,
  { product_id, limit, after }: BatchFilter & Page,
): Promise<Batch[]> {
  const statement = product_id === undefined ? LIST.ofAll : LIST.ofProduct;
  const { rows } = await db.query<Batch>(statement, [limit, idOfCursor(after), product_id ?? null]);
  return rows;
}

/** Returns how many batches all pages of `listBatches` contain together. */
export async function countBatches(db: Db, { product_id }: BatchFilter): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from coupon_batch where codes > 1 and ($1::uuid is null or product_id = $1)`,
    [product_id ?? null],
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}

/**
 * Locks a batch until the transaction ends, so that only one act on it is stored at a time. Returns true if an import
 * into the batch, or an act on it, is running. `id` must be a row id.
 */
export async function lockBatch(db: Db, id: string): Promise<boolean> {
  await db.query('select 1 from coupon_batch where id = $1 for no key update', [id]);
  const { rows } = await db.query<{ busy: boolean }>(
    "select exists (select from import_job where batch_id = $1 and state = 'running') as busy",
    [id],
  );
  return rows[0]?.busy ?? false;
}

/**
 * SQL conditions that select the codes of a batch by stored state, each by an index `coupon_batch_…`. `free` selects
 * codes that have expired too, until the job has made them void.
 */
export const IN_BATCH = {
  free: 'assigned_by is null and voided_by is null',
  assigned: 'assigned_by is not null',
  revoked: 'assigned_by is not null and revoked_by is not null',
  void: 'voided_by is not null',
};
/**
 * Returns an SQL condition that is true if a batch still counts as one that names its codes: no act makes, or made, its
 * codes void. `batch` is an SQL expression.
 */
export function isNaming(batch: string): string {
  return `${batch} not in (
    select v.batch_id from import_job v
    where v.kind = 'void' and v.state in ('running', 'failed', 'done') and v.batch_id is not null)`;
}
/** Number of other batches that `findBatch` names. */
const NAMED_BATCHES = 5;
// The free codes of the batch $1 that other batches name, with each such batch. There are two statements: shared codes have
// a row for each upload, and are not noted in coupon_source.
const IS_UNUSED = 'c.assigned_by is null and c.voided_by is null and c.use_by > $2::date';
const KEPT = {
  single: `select s.coupon_id::text as code, s.named_by as id from coupon_source s join coupon c on c.id = s.coupon_id
    where s.batch_id = $1 and c.batch_id = $1 and ${IS_UNUSED} and ${isNaming('s.named_by')}`,
  shared: `select distinct c.coupon_code as code, o.batch_id as id from coupon c join coupon o
      on o.product_id = c.product_id and o.shared and o.coupon_code = c.coupon_code and o.batch_id <> $1
    where c.batch_id = $1 and c.shared and ${IS_UNUSED} and ${isNaming('o.batch_id')}`,
};
const count = (condition: string) =>
  `(select count(*)::int from coupon c where c.batch_id = $1 and ${condition})`;
const firstDay = (order: 'asc' | 'desc') =>
  `(select c.use_by + 0 from coupon c where c.batch_id = $1 and ${IN_BATCH.free} and c.use_by + 0 > $2::date
    order by c.use_by + 0 ${order} limit 1)`;

type Found = BatchRecord & { shared: boolean };

/**
 * Returns a batch with the number of its codes in each state on the day `today`, or null if there is no batch with this
 * id. `id` must be a row id. Each number is counted from its own index (`coupon_batch_…`), so that counting a million
 * codes does not take too long.
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
            (select i.id from import_job i
             where i.batch_id = b.id and i.kind in ('void', 'use_by') and i.state = 'running'
             order by i.created_at desc limit 1) as running_job,
            (select i.id from import_job i where i.batch_id = b.id and i.kind = 'coupons' limit 1) as import_id
     from coupon_batch b join product p on p.product_id = b.product_id cross join counted n where b.id = $1`,
    [id, today],
  );
  const [found] = rows;
  return found === undefined ? null : { ...found, ...(await findKept(db, id, { ...found, today })) };
}

/** Counts the free codes of a batch that other batches name too, and names these batches. */
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
