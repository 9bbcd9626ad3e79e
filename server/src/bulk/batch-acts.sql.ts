// The steps of acts on batches of codes, which make the free codes of a batch void or set their last day.
import type { Db } from '../db/database.ts';
import type { VoidReason } from '../features/codes/void.sql.ts';

/**
 * The progress of an act on a batch. `expected` is the number of codes that staff saw before they confirmed the act.
 * `after` is the id of the last code that the current phase has changed.
 */
type Progress = { expected: number; after: string };
/**
 * The phase 'free' makes free codes void. If the reason is 'dead', the phase 'void' follows: it also makes those codes
 * dead that are void, but could become free again. `kept` is the number of codes that stay free, because another batch
 * names them too; missing in acts of older versions.
 */
export type VoidDetail = Progress & {
  kept?: number;
  reason: Exclude<VoidReason, 'expired'>;
  note: string | null;
  phase: 'free' | 'void';
};
/**
 * `use_by` is the new last day; null if the codes get no last day. The phase 'free' changes free codes. The phase
 * 'expired' follows and makes expired codes free again.
 */
export type UseByDetail = Progress & { use_by: string | null; phase: 'free' | 'expired' };
/**
 * A step of an act on a batch: changes at most `limit` codes of the batch, in the order of their ids. The step begins
 * after the code with the id `after`.
 */
type Step = { batch_id: string; after: string; limit: number };
/**
 * Result of a step: the number of changed codes, and the largest id of these codes. If the step changed no code, `last`
 * is equal to `after`.
 */
type StepResult = { count: number; last: string };

// Codes that have expired become void by a job, with the reason 'expired'. Until then they count as expired already, so
// an act leaves them alone. Only the reason 'dead' takes the place of 'expired'.
//
// The codes that another batch names are moved to the oldest such batch. They get the last day that staff set for that
// batch since, otherwise the one that its file has. A trigger adds the day to claim_day. If it has passed, the codes have
// expired.
const UNDO_NEXT = `
  with next as (
    select id from coupon where batch_id = $1 and id > $2 and assigned_by is null and voided_by is null and use_by > $7::date
    order by id limit $3 for update
  ), named as materialized (
    select distinct on (s.coupon_id) s.coupon_id as id, s.named_by, s.use_by
    from next join coupon_source s on s.coupon_id = next.id
    where s.batch_id = $1 and s.named_by not in (select v.batch_id from batch_made_void v)
    order by s.coupon_id, s.named_by
  ), dated as materialized (
    select distinct on (batch_id) batch_id, coalesce(detail ->> 'use_by', 'infinity')::date as use_by from bulk_job
    where kind = 'use_by' and state in ('running', 'failed', 'done') and batch_id in (select named_by from named)
    order by batch_id, worked_at desc
  ), kept as (
    update coupon set batch_id = named.named_by, use_by = coalesce(dated.use_by, named.use_by)
    from named left join dated on dated.batch_id = named.named_by
    where coupon.id = named.id returning coupon.id, coupon.batch_id
  ), forgotten as (
    delete from coupon_source s using kept where s.coupon_id = kept.id and s.named_by = kept.batch_id
  ), followed as (
    update coupon_source s set batch_id = kept.batch_id from kept
    where s.coupon_id = kept.id and s.named_by <> kept.batch_id
  ), counted as (
    update coupon_batch b set codes = b.codes + moved.codes
    from (select batch_id, count(*)::int as codes from kept group by batch_id) moved where b.id = moved.batch_id
  ), changed as (
    update coupon set voided_by = $4, void_reason = $5, voided_at = $6 from next
    where coupon.id = next.id and not exists (select from named where named.id = next.id) returning coupon.id
  )
  select (select count(*)::int from changed) as count, (select count(*)::int from kept) as kept,
    (select coalesce(max(id), $2)::text from next) as last`;

async function run(db: Db, statement: string, params: unknown[]): Promise<StepResult> {
  const { rows } = await db.query<StepResult>(statement, params);
  return rows[0] as StepResult;
}

/**
 * Makes the next free codes of a batch void with the reason 'dead'. Waits for claims in progress. If such a claim assigns
 * a code, the step skips this code and does not count it towards `limit`. So if the step changes fewer than `limit` codes,
 * the batch has no more free codes.
 */
export async function voidNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  { actor, at }: { actor: string; at: Date },
): Promise<StepResult> {
  return run(
    db,
    `with next as (
       select id from coupon where batch_id = $1 and id > $2 and assigned_by is null and voided_by is null
       order by id limit $3 for update
     ), changed as (
       update coupon set voided_by = $4, void_reason = $5, voided_at = $6 from next
       where coupon.id = next.id returning coupon.id
     )
     select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
    [batch_id, after, limit, actor, 'dead', at],
  );
}

/**
 * Does the same as `voidNextOfBatch` for a batch that was a mistake (R-IMP-10). Free codes that another batch names too
 * stay free: they are codes of that batch from then on, with its last days. `kept` counts them. `limit` is the largest
 * number of void and kept codes together. The caller must have locked the product in the same transaction.
 */
export async function undoNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  { actor, at, today }: { actor: string; at: Date; today: string },
): Promise<StepResult & { kept: number }> {
  const { rows } = await db.query<StepResult & { kept: number }>(UNDO_NEXT, [
    ...[batch_id, after, limit],
    ...[actor, 'mistake', at, today],
  ]);
  return rows[0] as StepResult & { kept: number };
}

/** Makes the next codes of a batch dead that are void, but could become free again: by an upload, or a later last day. */
export async function markNextOfBatchDead(
  db: Db,
  { batch_id, after, limit }: Step,
  { actor, at }: { actor: string; at: Date },
): Promise<StepResult> {
  return run(
    db,
    `with next as (
       select id from coupon where batch_id = $1 and id > $2 and voided_by is not null
         and void_reason in ('mistake', 'expired')
       order by id limit $3 for update
     ), changed as (
       update coupon set voided_by = $4, void_reason = $5, voided_at = $6 from next
       where coupon.id = next.id returning coupon.id
     )
     select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
    [batch_id, after, limit, actor, 'dead', at],
  );
}

/**
 * Sets the last day of the next free codes of a batch. `use_by` is a day after today, or 'infinity' for codes without a
 * last day.
 */
export async function dateNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  use_by: string,
): Promise<StepResult> {
  return run(
    db,
    `with next as (
       select id from coupon where batch_id = $1 and id > $2 and assigned_by is null and voided_by is null
       order by id limit $3 for update
     ), changed as (
       update coupon set use_by = $4 from next
       where coupon.id = next.id returning coupon.id
     )
     select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
    [batch_id, after, limit, use_by],
  );
}

/**
 * Sets the last day of the next free codes of a batch to a day that is not after today. So these codes have expired,
 * and the function makes them void.
 */
export async function expireNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  { use_by, actor, at, today }: { use_by: string; actor: string; at: Date; today: string },
): Promise<StepResult> {
  return run(
    db,
    `with next as (
       select id from coupon where batch_id = $1 and id > $2 and assigned_by is null and voided_by is null
         and use_by > $7::date
       order by id limit $3 for update
     ), changed as (
       update coupon set use_by = $4, voided_by = $5, void_reason = 'expired', voided_at = $6 from next
       where coupon.id = next.id returning coupon.id
     )
     select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
    [batch_id, after, limit, use_by, actor, at, today],
  );
}

/**
 * Makes the next expired codes of a batch free again, and sets their last day (R-LIFE-19). `use_by` is a day after
 * today, or 'infinity'.
 */
export async function freeNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  use_by: string,
): Promise<StepResult> {
  return run(
    db,
    `with next as (
       select id from coupon where batch_id = $1 and id > $2 and voided_by is not null and void_reason = 'expired'
       order by id limit $3 for update
     ), changed as (
       update coupon set use_by = $4, voided_by = null, void_reason = null, voided_at = null from next
       where coupon.id = next.id returning coupon.id
     )
     select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
    [batch_id, after, limit, use_by],
  );
}

/** Returns the different texts of the shared codes in a batch, and whether another batch names the text too. */
export async function listTextsOfBatch(
  db: Db,
  batch_id: string,
): Promise<{ coupon_code: string; is_named: boolean }[]> {
  const { rows } = await db.query<{ coupon_code: string; is_named: boolean }>(
    `select coupon_code, exists (
       select from coupon o where o.product_id = c.product_id and o.shared and o.coupon_code = c.coupon_code
         and o.batch_id <> $1 and o.batch_id not in (select v.batch_id from batch_made_void v)) as is_named
     from (select distinct product_id, coupon_code from coupon where batch_id = $1 and shared) c`,
    [batch_id],
  );
  return rows;
}
