// The role of the signed-in user in the team.
import type { TeamRole } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { checkAdmin } from '../../calls.ts';
import { useSession } from '../../parts/use-session.ts';
import { queryOf } from '../../queries.ts';

/** Returns the role from the check of the current session, or null until the server has responded. */
export function useTeamRole(): TeamRole | null {
  const session = useSession();
  const userId = session.status === 'signed-in' ? session.userId : undefined;
  const check = useQuery({ ...queryOf(checkAdmin, {}, userId), enabled: userId !== undefined });
  return check.data?.user.team_role ?? null;
}
