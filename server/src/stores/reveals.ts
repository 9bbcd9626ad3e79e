// Counts the codes that one of staff was shown, by the lines of the audit.
import type { Db } from '../db/database.ts';

/** Actions of the audit lines. The index audit_reveal contains the lines with these actions. */
export const REVEAL = { shown: 'coupon.reveal', refused: 'coupon.refused_reveal' } as const;

/** How many codes the portal shows to one person in a period of REVEAL_MINUTES. */
export const MAX_REVEALS = 30;
export const REVEAL_MINUTES = 10;

export type RevealCount = {
  /** Seconds until the person may see the next code; null if the person may see one now. */
  retry_after: number | null;
  /** True if the person was refused before, after the oldest of the codes that are counted now. */
  was_refused: boolean;
};

/**
 * Counts the codes that `actor` was shown in the last minutes. The period slides: any ten minutes contain at most
 * MAX_REVEALS codes. The transaction must have locked the person, so that concurrent calls are counted one after the
 * other.
 */
export async function countReveals(db: Db, actor: string): Promise<RevealCount> {
  const { rows } = await db.query<RevealCount>(
    `with recent as (
       select action, at from audit
       where actor = $1 and action in ('${REVEAL.shown}', '${REVEAL.refused}')
         and at > now() - make_interval(mins => $2)
     ), oldest as (
       select at from recent where action = '${REVEAL.shown}' order by at desc offset $3 - 1 limit 1
     )
     select ceil(extract(epoch from oldest.at + make_interval(mins => $2) - now()))::int as retry_after,
            exists (select from recent where action = '${REVEAL.refused}' and recent.at >= oldest.at) as was_refused
     from oldest`,
    [actor, REVEAL_MINUTES, MAX_REVEALS],
  );
  return rows[0] ?? { retry_after: null, was_refused: false };
}
