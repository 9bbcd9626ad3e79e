// Statements of the bulk actions on the codes of a batch, which make free codes void or set their last day. A statement
// changes the codes of one step.
import type { Db } from '../db/database.ts';
import type { VoidReason } from '../features/codes/void.sql.ts';

/**
 * The progress of an action on a batch. `expected` is the number of codes that staff saw before they confirmed the
 * action. `after` is the id of the last code that the current phase has changed.
 */
type Progress = { expected: number; after: string };
/**
 * The phase 'free' makes free codes void. If the reason is 'dead', the phase 'void' follows: codes that are void
 * already, but could become free again, get the reason 'dead' too. `kept` is the number of codes that stay free because
 * another batch contains them too; missing in jobs of older versions.
 */
export type VoidDetail = Progress & {
  kept?: number;
  reason: Exclude<VoidReason, 'expired'>;
  note: string | null;
  phase: 'free' | 'void';
};
/**
 * `use_by` is the new last day; null if the codes get no last day. The phase 'free' changes free codes. The phase
 * 'expired' follows: expired codes become free again.
 */
export type UseByDetail = Progress & { use_by: string | null; phase: 'free' | 'expired' };
/** A step changes at most `limit` codes of the batch, in the order of their ids, and begins after the id `after`. */
type BatchStep = { batch_id: string; after: string; limit: number };
/**
 * `count` is the number of changed codes. `last` is the largest of their ids, or `after` if the step changed no code.
 */
type Changed = { count: number; last: string };

/** Returns a function that runs a step. Parameters of `statement`: $1 batch, $2 `after`, $3 `limit`, then `Params`. */
function createStep<Params extends unknown[], Result extends Changed = Changed>(statement: string) {
  return async (db: Db, { batch_id, after, limit }: BatchStep, ...params: Params): Promise<Result> => {
    const { rows } = await db.query<Result>(statement, [batch_id, after, limit, ...params]);
    return rows[0] as Result;
  };
}

// A code whose last day has passed counts as expired. A job makes such a code void later, with the reason 'expired'.
// The reason 'dead' may replace 'expired', and a later last day makes an expired code free again.

/**
 * Makes the next free codes of a batch void with the reason 'dead', at the time `at`. Waits for claims in progress. A
 * code that such a claim assigns is skipped, and does not count towards `limit`. So if the step changes fewer than
 * `limit` codes, the batch has no more free codes.
 */
export const voidNextOfBatch = createStep<[actor: string, at: Date]>(
  `with next as (
     select id from coupon where batch_id = $1 and id > $2 and assigned_by is null and voided_by is null
     order by id limit $3 for update
   ), changed as (
     update coupon set voided_by = $4, void_reason = 'dead', voided_at = $5 from next
     where coupon.id = next.id returning coupon.id
   )
   select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
);

/**
 * Makes the next free codes of a batch void, because the batch was a mistake (R-IMP-10). A code that another batch
 * contains too stays free, and moves to the oldest such batch. The code gets the last day that staff set for that
 * batch, or else the last day in the file of that batch. A trigger adds this day to the table claim_day. If the day has
 * passed, the code has expired. `kept` counts the moved codes; `limit` is for void and moved codes together. The caller
 * must have locked the product in the same transaction.
 */
export const undoNextOfBatch = createStep<
  [actor: string, at: Date, today: string],
  Changed & { kept: number }
>(
  `with next as (
     select id from coupon where batch_id = $1 and id > $2 and assigned_by is null and voided_by is null and use_by > $6::date
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
     update coupon set voided_by = $4, void_reason = 'mistake', voided_at = $5 from next
     where coupon.id = next.id and not exists (select from named where named.id = next.id) returning coupon.id
   )
   select (select count(*)::int from changed) as count, (select count(*)::int from kept) as kept,
     (select coalesce(max(id), $2)::text from next) as last`,
);

/**
 * Changes the reason of the next void codes to 'dead', if an upload or a later last day could make these codes free
 * again.
 */
export const markNextOfBatchDead = createStep<[actor: string, at: Date]>(
  `with next as (
     select id from coupon where batch_id = $1 and id > $2 and voided_by is not null
       and void_reason in ('mistake', 'expired')
     order by id limit $3 for update
   ), changed as (
     update coupon set voided_by = $4, void_reason = 'dead', voided_at = $5 from next
     where coupon.id = next.id returning coupon.id
   )
   select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
);

/**
 * Sets the last day of the next free codes of a batch. `use_by` is a day after today, or 'infinity' for codes without a
 * last day.
 */
export const dateNextOfBatch = createStep<[use_by: string]>(
  `with next as (
     select id from coupon where batch_id = $1 and id > $2 and assigned_by is null and voided_by is null
     order by id limit $3 for update
   ), changed as (
     update coupon set use_by = $4 from next
     where coupon.id = next.id returning coupon.id
   )
   select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
);

/** Sets a last day that is not after today: the next free codes of a batch expire, and become void. */
export const expireNextOfBatch = createStep<[use_by: string, actor: string, at: Date, today: string]>(
  `with next as (
     select id from coupon where batch_id = $1 and id > $2 and assigned_by is null and voided_by is null
       and use_by > $7::date
     order by id limit $3 for update
   ), changed as (
     update coupon set use_by = $4, voided_by = $5, void_reason = 'expired', voided_at = $6 from next
     where coupon.id = next.id returning coupon.id
   )
   select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
);

/** Does the same as `dateNextOfBatch` for expired codes, which become free again (R-LIFE-19). */
export const freeNextOfBatch = createStep<[use_by: string]>(
  `with next as (
     select id from coupon where batch_id = $1 and id > $2 and voided_by is not null and void_reason = 'expired'
     order by id limit $3 for update
   ), changed as (
     update coupon set use_by = $4, voided_by = null, void_reason = null, voided_at = null from next
     where coupon.id = next.id returning coupon.id
   )
   select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`,
);

/**
 * Returns the different texts of the shared codes of a batch. `is_named` is true if another batch contains the same
 * text.
 */
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
