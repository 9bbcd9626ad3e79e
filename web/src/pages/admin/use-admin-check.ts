// Whether the person here may see administrators' pages: the server's word, never the page's own.
import type { checkAdmin as checkAdminCall, ReplyOf } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../api-error.ts';
import { checkAdmin } from '../../calls.ts';
import { useSession } from '../../parts/use-session.ts';
import { queryOf } from '../../queries.ts';

/** `unanswered`: nobody said yes or no. */
export type AdminCheck = 'checking' | 'signed-out' | 'refused' | 'unanswered' | 'admin';

/** Follows the session; the check itself is asked once for each person (R-CACHE-08, R-GUARD-01 to R-GUARD-06). */
export function useAdminCheck(): AdminCheck {
  const session = useSession();
  const userId = session.status === 'signed-in' ? session.userId : undefined;
  const check = useQuery({ ...queryOf(checkAdmin, {}, userId), enabled: userId !== undefined });
  if (session.status === 'loading') return 'checking';
  if (session.status === 'signed-out') return 'signed-out';
  if (check.isPending) return 'checking';
  if (check.isError && !isRefusal(check.error)) return 'unanswered';
  return passes(check.data) ? 'admin' : 'refused';
}

/**
 * Leads those away whom the check does not let in (R-GUARD-03, R-GUARD-04). The page that they see leads back to `wanted`
 * when nobody answered.
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

/** Only a success that names an administrator passes (R-GUARD-06). */
function passes(reply: ReplyOf<typeof checkAdminCall> | undefined): boolean {
  return reply?.user?.user_role === 'admin';
}
