// Finds out whether a user with the typed address exists, before the form 'Add New User' is saved.
import type { AppUser } from '@portal/contract';
import { listUsers } from '@portal/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * Finds the user of an email address, in two ways. `ask(address)` starts a search, and a later render has the user in
 * `known`. `find(address)` resolves to the user. `known` and the result of `find` are undefined if no user has the
 * address or the request failed. `error` is the error of the search that `ask` has started.
 */
export function useKnownUser() {
  const queries = useQueryClient();
  const [asked, setAsked] = useState('');
  const { data, error } = useQuery({ ...usersFrom(asked), enabled: asked !== '' });
  const ask = (typed: string) => setAsked(toAddress(typed));
  const find = async (typed: string) => {
    ask(typed);
    const email = toAddress(typed);
    if (email === '') return undefined;
    return pick(await queries.fetchQuery(usersFrom(email)).catch(() => null), email);
  };
  return { known: pick(data, asked), ask, find, error };
}

/** Converts an email address to the form in which the portal stores it. */
export function toAddress(typed: string): string {
  return typed.trim().toLowerCase();
}

function pick(users: AppUser[] | null | undefined, email: string): AppUser | undefined {
  return users?.find((user) => user.email === email);
}

/**
 * Returns the query options of a search for users whose address or name begins with `q`. Only the first user is
 * requested. If `q` is the full address of a user, that user is the first.
 */
function usersFrom(q: string) {
  const query = new URLSearchParams({ q, limit: '1' });
  return queryOptions<AppUser[]>({ queryKey: [`${listUsers.path}?${query}`], staleTime: 0 });
}
