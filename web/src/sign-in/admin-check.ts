// Checks whether the current user may see the admin pages. The decision comes from the server.
import type { TeamRole } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { ApiError, checkAdmin } from '../api.ts';
import { queryOf, useSession } from '../queries.ts';

/** `unanswered` means that the server gave no decision, for example because it cannot be reached. */
type AdminCheck = 'checking' | 'signed-out' | 'refused' | 'unanswered' | 'admin';

/**
 * Returns the known result of the check, without a call. For the parts of an admin page: only the page itself makes the
 * call, so that a failed check is not repeated by each part (R-CACHE-05).
 */
export const useKnownCheck = () => useAdminCheck(false);

/** Returns the result for the current session. It is cached for each user (R-CACHE-08, R-GUARD-01 to R-GUARD-06). */
export function useAdminCheck(asks = true): AdminCheck {
  const session = useSession();
  const check = useCheck(asks);
  if (session.status === 'loading') return 'checking';
  if (session.status === 'signed-out') return 'signed-out';
  // After a repeated check without a connection, the query still has the earlier reply, and the page stays as it is.
  const isRefused = check.error instanceof ApiError && [401, 403].includes(check.error.status);
  if (check.isPending || (isRefused && check.isFetching)) return 'checking';
  if (isRefused) return 'refused';
  if (!check.data) return 'unanswered';
  // R-GUARD-06: only a reply that names a user with the role 'admin'.
  return check.data.user?.user_role === 'admin' ? 'admin' : 'refused';
}

/** Returns the role of the current user in the team. Returns null before the check, and for a user without a role. */
export function useTeamRole(): TeamRole | null {
  return useCheck(false).data?.user?.team_role ?? null;
}

/** All callers share one request, because the query's result is cached. */
function useCheck(asks: boolean) {
  const session = useSession();
  const userId = session.status === 'signed-in' ? session.userId : undefined;
  return useQuery({ ...queryOf(checkAdmin, {}, userId), enabled: asks && userId !== undefined });
}

/**
 * Redirects a user who is no administrator to the page 'access restricted' (R-GUARD-03, R-GUARD-04). If the server gave
 * no decision, that page has a button that returns to `wanted`.
 */
export function useTurnAway(check: AdminCheck, wanted: string): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (check !== 'refused' && check !== 'unanswered') return;
    const state = check === 'unanswered' ? { wanted } : null;
    navigate('/admin-access-restricted', { replace: true, state });
  }, [check, wanted, navigate]);
}
