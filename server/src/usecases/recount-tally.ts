// The operator has the figures counted anew: after a repair by hand, or when they are doubted.
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../stores/audit.ts';
import { beginRecount, type Figure, listFigures, rebuildTally } from '../stores/tally.ts';

/** Counts while the portal serves. Answers how many figures there are, and how many were wrong, missing or too many. */
export async function recountTally(db: Database, now: Date): Promise<{ figures: number; wrong: number }> {
  return db.transaction(async (tx) => {
    await beginRecount(tx);
    const before = new Set((await listFigures(tx, now)).map(nameSum));
    await rebuildTally(tx);
    const after = await listFigures(tx, now);
    const right = after.filter((figure) => before.has(nameSum(figure))).length;
    const wrong = Math.max(before.size, after.length) - right;
    await createAuditLine(tx, {
      actor: 'operator',
      action: 'tally.recount',
      detail: { figures: after.length, wrong },
    });
    return { figures: after.length, wrong };
  });
}

function nameSum(figure: Figure): string {
  return JSON.stringify(Object.values(figure));
}
