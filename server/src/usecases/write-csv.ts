// Writes a CSV file for a member of the team, step by step (R-IMP-21, R-TEAM-22).
import { hasRole, type TeamRole, writeCsvHead, writeCsvLine } from '@portal/contract';
import { roleTooLow } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import type { Member } from '../stores/callers.ts';
import { findTeamRole } from '../stores/team.ts';
import { createPauses, type PauseTools } from './give-way.ts';

export type Cells = (string | number | null)[];

export type ExportTools = PauseTools & {
  /** After how many rows the role of the caller is checked again. Default: 100,000. Only tests set it. */
  roleCheckedEvery?: number;
};

const ROLE_CHECKED_EVERY = 100_000;

/**
 * Returns the file in parts. `steps` reads the rows from the database, some at a time, with pauses between while the
 * portal is busy. Every 100,000 rows the role of the caller is checked again. If it is below `role` by then, or if a
 * step fails, the generator throws, and the file breaks off.
 */
export async function* writeCsv(
  db: Database,
  file: { columns: readonly string[]; steps: AsyncIterable<Cells[]>; caller: Member; role: TeamRole },
  { roleCheckedEvery = ROLE_CHECKED_EVERY, ...pauseTools }: ExportTools,
): AsyncGenerator<string> {
  const { columns, steps, caller, role } = file;
  const giveWay = createPauses(pauseTools);
  yield writeCsvHead(columns);
  let sinceCheck = 0;
  for await (const rows of steps) {
    yield rows.map(writeCsvLine).join('');
    sinceCheck += rows.length;
    if (sinceCheck >= roleCheckedEvery) {
      const team_role = await findTeamRole(db, caller.user_id);
      if (team_role === null || !hasRole(team_role, role)) throw roleTooLow({ ...caller, team_role });
      sinceCheck = 0;
    }
    await giveWay();
  }
}
