// Who is here, for components.
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { getSessionState, subscribeToSession } from '../auth.ts';
import { getSessionUser } from '../calls.ts';
import { queryFunction, queryOf } from '../queries.ts';
import { LOADING, type SessionState } from '../session-state.ts';

/** The session that the server rendered the page for. */
export const RenderedFor = createContext(LOADING);

/** The session, followed as it changes. */
export function useSession(): SessionState {
  const rendered = useContext(RenderedFor);
  return useSyncExternalStore(subscribeToSession, getSessionState, () => rendered);
}

/** The current user as the server knows them; retried once, and a 401 means nobody (R-CACHE-07, A-11). */
export function useCurrentUser() {
  const session = useSession();
  const userId = session.status === 'signed-in' ? session.userId : undefined;
  return useQuery({ ...currentUserQuery(userId), enabled: userId !== undefined });
}

/** The query of `useCurrentUser`. */
export function currentUserQuery(userId: string | undefined) {
  const queryFn = queryFunction('null') as () => Promise<never>;
  return { ...queryOf(getSessionUser, {}, userId), queryFn, retry: 1 };
}
