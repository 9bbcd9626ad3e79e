// Looks up whose an address is, before Add New User saves it.
import type { AppUser } from '@portal/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listUsers } from '../../../admin-calls.ts';

/** `known` is the user with the address that `ask` was last called with; `find` resolves to the user with an address. */
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

/** An address as the portal stores it. */
export function toAddress(typed: string): string {
  return typed.trim().toLowerCase();
}

function pick(users: AppUser[] | null | undefined, email: string): AppUser | undefined {
  return users?.find((user) => user.email === email);
}

/** The first user whose address begins so: the one who has just this address, if there is one by now. */
function usersFrom(q: string) {
  const query = new URLSearchParams({ q, limit: '1' });
  return queryOptions<AppUser[]>({ queryKey: [`${listUsers.path}?${query}`], staleTime: 0 });
}
