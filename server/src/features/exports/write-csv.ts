// Writes a CSV file for a member of the team, step by step (R-IMP-21, R-TEAM-22).
import { type TeamRole, writeCsvHead, writeCsvLine } from '@portal/contract';
import { createPauses, type PauseTools } from '../../bulk/run-bulk.ts';
import type { Database } from '../../db/database.ts';
import type { Member } from '../team/callers.sql.ts';
import { requireActor } from '../team/change-team.ts';

export type Cells = (string | number | null)[];

/**
 * Returns the file in parts. `steps` reads the rows from the database, at most 5,000 at a time, with pauses between while
 * the portal is busy. Before each step, the caller is read again: the file breaks off if the session has ended or the role
 * is below `role` by then. It also breaks off if a step fails. The generator then throws.
 */
export async function* writeCsv(
  db: Database,
  file: { columns: readonly string[]; steps: AsyncIterable<Cells[]>; caller: Member; role: TeamRole },
  tools: PauseTools,
): AsyncGenerator<string> {
  const { columns, steps, caller, role } = file;
  const giveWay = createPauses(tools);
  yield writeCsvHead(columns);
  await requireActor(db, caller, role);
  for await (const rows of steps) {
    yield rows.map(writeCsvLine).join('');
    await giveWay();
    await requireActor(db, caller, role);
  }
}
