// Counts the codes that each of staff read in the last minutes.
import type { Db } from '../../db/database.ts';

/** How many codes one person reads in a period of REVEAL_MINUTES. */
export const MAX_REVEALS = 30;
export const REVEAL_MINUTES = 10;
// Key of the advisory locks of readers. The number is arbitrary, but every process must use the same one.
const READER_LOCK = 7_346_204;

export type RevealCount = {
  /** Seconds until the person may see the next code; null if the person may see one now. */
  retry_after: number | null;
  /** True if the person was refused before, after the oldest of the codes that are counted now. */
  was_refused: boolean;
};

/**
 * Locks the codes that a member of staff reads, until the transaction ends, so that concurrent calls are counted one after
 * the other. `staff` is app_user.id. Does not lock the person's row: two members who issue codes to each other would
 * deadlock.
 */
export async function lockReveals(db: Db, staff: string): Promise<void> {
  // Two people with the same remainder wait for each other, which does no harm.
  await db.query('select pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)', [READER_LOCK, staff]);
}

/**
 * Counts the codes that a member of staff read in the last minutes. `staff` is app_user.id. The period slides: any ten
 * minutes contain at most MAX_REVEALS codes. The transaction must have called `lockReveals`.
 */
export async function countReveals(db: Db, staff: string): Promise<RevealCount> {
  // A time to come was written by a clock that was ahead. The person would be refused until then.
  await db.query('update code_reveal set at = now() where staff = $1 and at > now()', [staff]);
  const { rows } = await db.query<RevealCount>(
    `with recent as (
       select refused, at from code_reveal where staff = $1 and at > now() - make_interval(mins => $2)
     ), oldest as (
       select at from recent where not refused order by at desc offset $3 - 1 limit 1
     )
     select ceil(extract(epoch from oldest.at + make_interval(mins => $2) - now()))::int as retry_after,
            exists (select from recent where refused and recent.at >= oldest.at) as was_refused
     from oldest`,
    [staff, REVEAL_MINUTES, MAX_REVEALS],
  );
  return rows[0] ?? { retry_after: null, was_refused: false };
}

/** Records that a member of staff read a code, or was refused one. Deletes the person's rows that no longer count. */
export async function recordReveal(
  db: Db,
  { staff, refused }: { staff: string; refused: boolean },
): Promise<void> {
  await db.query('delete from code_reveal where staff = $1 and at <= now() - make_interval(mins => $2)', [
    staff,
    REVEAL_MINUTES,
  ]);
  await db.query('insert into code_reveal (staff, refused) values ($1, $2)', [staff, refused]);
}
