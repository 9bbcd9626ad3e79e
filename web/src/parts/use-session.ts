// Who is here, for components.
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { getSessionState, type SessionState, subscribeToSession } from '../auth.ts';
import { getSessionUser } from '../calls.ts';
import { queryFunction, queryOf } from '../queries.ts';

/** The session, followed as it changes. */
export function useSession(): SessionState {
  return useSyncExternalStore(subscribeToSession, getSessionState);
}

/** The current user as the server knows them; retried once, and a 401 means nobody (R-CACHE-07, A-11). */
export function useCurrentUser() {
  const session = useSession();
  const userId = session.status === 'signed-in' ? session.userId : undefined;
  return useQuery({
    ...queryOf(getSessionUser, {}, userId),
    queryFn: queryFunction('null') as () => Promise<never>,
    retry: 1,
    enabled: userId !== undefined,
  });
}
