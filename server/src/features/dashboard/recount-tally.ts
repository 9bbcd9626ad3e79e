// Recounts the tally for the operator, for example after rows were changed by hand in the database.
import type { Database } from '../../db/database.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { reopenClaimDays } from '../redeem/redeem.sql.ts';
import { beginRecount, type Counter, listCounters, rebuildTally } from './tally.sql.ts';

/**
 * Recounts the tally while the portal serves requests. Returns the number of counters (`figures`), and how many of
 * them were wrong, missing or superfluous. Also makes free codes available that no claim could find (0005); `reopened`
 * is the number of last days for which it did so.
 */
export async function recountTally(
  db: Database,
  now: Date,
): Promise<{ figures: number; wrong: number; reopened: number }> {
  // This needs no lock: a claim_day may be earlier than necessary.
  const reopened = await reopenClaimDays(db);
  return db.transaction(async (tx) => {
    await beginRecount(tx);
    const before = new Set((await listCounters(tx, now)).map(keyOf));
    await rebuildTally(tx);
    const after = await listCounters(tx, now);
    const right = after.filter((counter) => before.has(keyOf(counter))).length;
    const wrong = Math.max(before.size, after.length) - right;
    const detail = { figures: after.length, wrong, reopened };
    await createAuditLine(tx, { actor: 'operator', action: 'tally.recount', detail });
    return detail;
  });
}

function keyOf(counter: Counter): string {
  return JSON.stringify(Object.values(counter));
}
