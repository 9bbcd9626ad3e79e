// Whether the person here may see administrators' pages: the server's word, never the page's own.
import type { checkAdmin as checkAdminCall, ReplyOf } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { checkAdmin } from '../../calls.ts';
import { useSession } from '../../parts/use-session.ts';
import { queryOf } from '../../queries.ts';

export type AdminCheck = 'checking' | 'signed-out' | 'refused' | 'admin';

/** Follows the session; the check itself is asked once for each person (R-CACHE-08, R-GUARD-01 to R-GUARD-06). */
export function useAdminCheck(): AdminCheck {
  const session = useSession();
  const userId = session.status === 'signed-in' ? session.userId : undefined;
  const check = useQuery({ ...queryOf(checkAdmin, {}, userId), enabled: userId !== undefined });
  if (session.status === 'loading') return 'checking';
  if (session.status === 'signed-out') return 'signed-out';
  if (check.isPending) return 'checking';
  return passes(check.data) ? 'admin' : 'refused';
}

/** Only a success that names an administrator passes (R-GUARD-06). */
function passes(reply: ReplyOf<typeof checkAdminCall> | undefined): boolean {
  return reply?.user?.user_role === 'admin';
}
