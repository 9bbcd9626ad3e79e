// Handles queries of the admin pages that the server refuses because of the caller's role (R-TEAM-21).
import { useEffect } from 'react';
import { checkAdmin } from '../../calls.ts';
import { queryClient } from '../../queries.ts';
import { showToast } from '../../ui/toast-store.ts';
import { refusalWords } from './refusal-toast.ts';
import { followRole, isRoleTooLow } from './role-refusal.ts';

/** While mounted, shows a toast for each query that is refused because the role is too low, and repeats the check. */
export function useRefusedQueries(): void {
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'error') return;
        // The check itself is refused to a user without a role. Repeating it would never end.
        if (event.query.queryKey[0] === checkAdmin.path) return;
        const { error } = event.action;
        if (isRoleTooLow(error)) showToast(refusalWords(error, ''));
        followRole(error);
      }),
    [],
  );
}
