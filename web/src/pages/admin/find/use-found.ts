// Loads what the search of staff finds, after a pause in typing.
import type { Found } from '@portal/contract';
import { findForStaff } from '@portal/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { read } from '../../../api.ts';
import { type Group, listGroups } from './list-groups.ts';

/** Time without input after which the search starts. */
const TYPING_PAUSE_MS = 150;

/**
 * Returns the query for `text`, and a function that starts it without the pause. The data names the text that it belongs
 * to, because the data of the text before stays until the new data has arrived.
 */
export function useFound(text: string) {
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery<{ q: string; groups: Group[] }>({
    queryKey: [`${findForStaff.path}?${new URLSearchParams({ q })}`],
    queryFn: async ({ queryKey: [path] }) => ({
      q,
      groups: listGroups((await read(path as string)) as Found, q),
    }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
    // Each search asks the server, because codes and people change.
    gcTime: 0,
  });
  return { query, isFresh: query.data?.q === text, hurry: () => setQ(text) };
}
