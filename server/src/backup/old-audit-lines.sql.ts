// Lists and removes old lines of the audit log, for the operator's command `audit prune` (R-TRAIL-61).
import type { Db } from '../db/database.ts';

/** A line to be removed: its id, and all of it as JSON, with the address and the name of the product at present. */
type OldLine = { id: string; json: string };

/** Returns the highest id of a line before the moment `before`. Null if there is no such line. */
export async function findLastOldId(db: Db, before: Date): Promise<string | null> {
  const { rows } = await db.query<{ id: string | null }>('select max(id) as id from audit where at < $1', [
    before,
  ]);
  return rows[0]?.id ?? null;
}

/**
 * Returns the lines before the moment `before` whose ids follow `after`, up to the id `last`, in the order of their ids, at most `limit`.
 * Leaves out the lines of codes that somebody holds now: they say how the person got the code.
 */
export async function listOldLines(
  db: Db,
  { before, after, last, limit }: { before: Date; after: string; last: string; limit: number },
): Promise<OldLine[]> {
  const { rows } = await db.query<OldLine>(
    `select a.id, (to_jsonb(a) || jsonb_build_object('email', u.email, 'product', p.name))::text as json
     from (
       select * from audit a
       where id > $1 and id <= $4 and at < $2 and not exists (
         select from coupon c where c.id = a.coupon_id and c.holder is not null and c.revoked_at is null)
       order by id limit $3
     ) a
     left join app_user u on u.id = a.user_id
     left join product p on p.product_id = a.product_id
     order by a.id`,
    [after, before, limit, last],
  );
  return rows;
}

/**
 * Removes those lines with one of `ids` that are before the moment `before`, except lines of codes that somebody holds
 * now. Must run in a transaction: the trigger that keeps the log lets them go until its end. Returns how many are
 * removed.
 */
export async function deleteOldLines(
  tx: Db,
  { before, ids }: { before: Date; ids: readonly string[] },
): Promise<number> {
  await tx.query("select set_config('portal.prune_audit_before', $1, true)", [before.toISOString()]);
  const { rows } = await tx.query<{ removed: number }>(
    `with gone as (
       delete from audit a
       where id = any($1::bigint[]) and at < $2 and not exists (
         select from coupon c where c.id = a.coupon_id and c.holder is not null and c.revoked_at is null)
       returning 1
     ) select count(*)::int as removed from gone`,
    [ids, before],
  );
  return rows[0]?.removed ?? 0;
}
