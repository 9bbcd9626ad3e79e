// Checks whether the current user may see the admin pages. The decision comes from the server.
import type { checkAdmin as checkAdminCall, ReplyOf, TeamRole } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { ApiError, checkAdmin } from '../api.ts';
import { queryOf, useSession } from '../queries.ts';

/**
 * Result of the check whether the user may see the admin pages. `unanswered` means that the server gave no decision,
 * for example because it cannot be reached.
 */
export type AdminCheck = 'checking' | 'signed-out' | 'refused' | 'unanswered' | 'admin';

/**
 * Returns the result of the check for the current session. The result is cached for each user (R-CACHE-08, R-GUARD-01
 * to R-GUARD-06).
 */
export function useAdminCheck(): AdminCheck {
  return useResult({ asks: true });
}

/**
 * Returns the same result for a part of an admin page, and never asks the server: the page does. A part that is loaded
 * after a check has failed would otherwise make the call a second time (R-CACHE-05).
 */
export function useKnownCheck(): AdminCheck {
  return useResult({ asks: false });
}

function useResult(how: { asks: boolean }): AdminCheck {
  const session = useSession();
  const check = useCheck(how);
  if (session.status === 'loading') return 'checking';
  if (session.status === 'signed-out') return 'signed-out';
  // If a repeated check fails, the query still contains the reply of the check before. Only a refusal counts then:
  // without a connection, an open page stays as it is.
  const isRefused = check.isError && isRefusal(check.error);
  if (check.isPending || (isRefused && check.isFetching)) return 'checking';
  if (isRefused) return 'refused';
  if (!check.data) return 'unanswered';
  return passes(check.data) ? 'admin' : 'refused';
}

/** Returns the role of the current user in the team. Returns null before the check, and for a user without a role. */
export function useTeamRole(): TeamRole | null {
  return useCheck({ asks: false }).data?.user?.team_role ?? null;
}

/** All callers share one request, because the query's result is cached. */
function useCheck({ asks }: { asks: boolean }) {
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

function isRefusal(error: Error): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

/** Returns true only if the server's reply names a user with the role 'admin' (R-GUARD-06). */
function passes(reply: ReplyOf<typeof checkAdminCall> | undefined): boolean {
  return reply?.user?.user_role === 'admin';
}
