// Finds out if a user with the typed address exists, before 'Add New User' saves.
import type { AppUser } from '@portal/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listUsers } from '../../../admin-calls.ts';

/**
 * Returns `known`, the user whose address was last passed to `ask`, and `find`, which resolves to the user with an
 * address. Both give undefined if there is no such user or the request failed.
 */
export function useKnownUser() {
  const queries = useQueryClient();
  const [asked, setAsked] = useState('');
  const { data } = useQuery({ ...usersFrom(asked), enabled: asked !== '' });
  const ask = (typed: string) => setAsked(toAddress(typed));
  const find = async (typed: string) => {
    ask(typed);
    const email = toAddress(typed);
    if (email === '') return undefined;
    return pick(await queries.fetchQuery(usersFrom(email)).catch(() => null), email);
  };
  return { known: pick(data, asked), ask, find };
}

/** Converts an email address to the form that the portal stores. */
export function toAddress(typed: string): string {
  return typed.trim().toLowerCase();
}

function pick(users: AppUser[] | null | undefined, email: string): AppUser | undefined {
  return users?.find((user) => user.email === email);
}

/** Searches users by prefix `q` and returns only the first. An exact match of the address always sorts first. */
function usersFrom(q: string) {
  const query = new URLSearchParams({ q, limit: '1' });
  return queryOptions<AppUser[]>({ queryKey: [`${listUsers.path}?${query}`], staleTime: 0 });
}
