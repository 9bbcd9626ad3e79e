// Counts the codes that each member of staff read in the last minutes.
import type { Db } from '../../db/database.ts';

/** Maximum number of codes that a person may read within REVEAL_MINUTES. */
export const MAX_REVEALS = 30;
export const REVEAL_MINUTES = 10;
// First key of the advisory locks of `lockReveals`. The number is arbitrary, but must be the same in all processes.
const READER_LOCK = 7_346_204;

type RevealCount = {
  /** Seconds until the person may read the next code; null if the person may read one now. */
  retry_after: number | null;
  /** True if the person was refused after reading the oldest of the codes that are counted now. */
  was_refused: boolean;
};

/**
 * Makes concurrent calls of the same member of staff wait until the transaction ends, so that none is missed in the
 * count. `staff` is app_user.id. Uses an advisory lock, not a lock of the person's row: with row locks, two members of
 * staff who issue codes to each other would deadlock.
 */
export async function lockReveals(db: Db, staff: string): Promise<void> {
  // Calls of two people whose ids have the same remainder wait for each other too. That does no harm.
  await db.query('select pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)', [READER_LOCK, staff]);
}

/**
 * Counts the codes that a member of staff (app_user.id) read in a sliding window of REVEAL_MINUTES. The transaction
 * must have called `lockReveals`.
 */
export async function countReveals(db: Db, staff: string): Promise<RevealCount> {
  // A time in the future was written when the clock was ahead. Without this update, the person would be refused until
  // that time.
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
  const old = 'delete from code_reveal where staff = $1 and at <= now() - make_interval(mins => $2)';
  await db.query(old, [staff, REVEAL_MINUTES]);
  await db.query('insert into code_reveal (staff, refused) values ($1, $2)', [staff, refused]);
}
