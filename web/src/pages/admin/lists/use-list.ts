// Loads one page of a list from the server. The URL selects the page.
import type { ReplyOf } from '@portal/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { readPage } from '../../../admin-api.ts';
import type { Call } from '../../../calls.ts';
import { JOB } from '../jobs/job-address.ts';
import { type ListState, listRequest, readListState, writeListState } from './list-address.ts';
import { PAGE_SIZE, type ShownPage } from './slice-list.ts';

export type List = ReturnType<typeof useListState>;
type RowOf<C extends Call> = ReplyOf<C> extends (infer Row)[] ? Row : never;

/** Returns the state of a list from the URL, and functions that change this state. */
export function useListState(filterNames: readonly string[]) {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const state = readListState(search, filterNames);
  const job = new URLSearchParams(search).get(JOB);
  const show = ({ filters, ...next }: ListState, replace = false) => {
    // The page goes on to show a job that it follows.
    const kept = job === null ? filters : { ...filters, [JOB]: job };
    navigate(path + writeListState({ ...next, filters: kept }), { replace });
  };
  return {
    state,
    isNarrowed: state.q !== '' || Object.keys(state.filters).length > 0,
    show,
    // The new URL replaces the current history entry. If each typed letter added an entry, the Back button would remove
    // only one letter of the search.
    search: (q: string) => {
      if (q !== state.q) show({ ...state, q, cursors: [] }, true);
    },
    filter: (name: string, value: string) =>
      show({ ...state, filters: { ...state.filters, [name]: value }, cursors: [] }),
    /** Shows the first page without search and filters. */
    reset: () => navigate(path),
  };
}

/** Returns the query and the page that `state` selects. While a new page loads, the old rows stay on the screen. */
export function useList<C extends Call>(
  of: C,
  { state, show }: Pick<List, 'state' | 'show'>,
  pageSize = PAGE_SIZE,
) {
  const { cursors } = state;
  const address = listRequest(of.path, state, pageSize);
  const query = useQuery({
    queryKey: [address],
    queryFn: async () => ({ ...(await readPage<RowOf<C>>(address)), before: cursors.length * pageSize }),
    placeholderData: keepPreviousData,
  });
  const next = query.data?.next;
  const goNext = () => {
    // While old rows are still on the screen, `next` is the cursor after those rows. A click at this time would open a
    // wrong page, so the click is ignored.
    if (next && !query.isPlaceholderData) show({ ...state, cursors: [...cursors, next] });
  };
  const page: ShownPage<RowOf<C>> = {
    rows: query.data?.rows ?? [],
    before: query.data?.before ?? 0,
    total: query.data?.total ?? 0,
    isMore: query.data?.isMore ?? false,
    toNext: next ? goNext : undefined,
    toPrevious: cursors.length > 0 ? () => show({ ...state, cursors: cursors.slice(0, -1) }) : undefined,
  };
  return { query, page };
}
