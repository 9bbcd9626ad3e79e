// Loads the log page by page, for timelines and for the lines of a group.
import { type AuditLine, listAudit } from '@portal/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { type ListPage, readPage } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { ListFoot } from '../../ui/list-controls.tsx';
import { t } from '../../words/translate.ts';
import { listRequest } from '../list.tsx';
import { formatExtent } from '../nouns/log-line.ts';

/** The number of rows of a page: entries, or lines of one thing (R-DAY-40). */
export const PAGE_LINES = 50;

export type LogPages = ReturnType<typeof useLogPages>;

/** `filters` are parameters of `listAudit`, with a subject. `first` is the number of rows of the first page. */
export function useLogPages(filters: Record<string, string>, { first = PAGE_LINES } = {}) {
  const addressOf = (cursors: string[]) =>
    listRequest(listAudit.path, { q: '', filters, cursors }, cursors.length === 0 ? first : PAGE_LINES);
  return useInfiniteQuery({
    // 'timeline' distinguishes this query from that of the page `Activity`, which stores a single page of rows.
    queryKey: [addressOf([]), 'timeline'],
    queryFn: ({ pageParam }): Promise<ListPage<AuditLine>> => readPage(addressOf(pageParam)),
    initialPageParam: [] as string[],
    // The log grows without an action on this page. So it is loaded again whenever the page is opened.
    refetchOnMount: 'always',
    getNextPageParam: ({ next }) => (next === null ? undefined : [next]),
  });
}

/**
 * The button that loads older lines. Says how far back the lines go once it was pressed, or if the server stopped early.
 * Nothing if the first page has all lines.
 */
export function LogFoot({ query }: { query: LogPages }) {
  const words = useRef<HTMLSpanElement>(null);
  const pages = query.data?.pages ?? [];
  const oldest = pages.flatMap(({ rows }) => rows).at(-1);
  const lookedUntil = pages.at(-1)?.lookedUntil ?? null;
  const hasWords = pages.length > 1 || lookedUntil !== null;
  const showOlder = async () => {
    const { hasNextPage } = await query.fetchNextPage();
    // The button is removed with the last page. If it has the focus, the focus moves to the text beside it.
    if (!hasNextPage) words.current?.focus();
  };
  if (!hasWords && !query.hasNextPage) return null;
  return (
    <ListFoot words={hasWords ? formatExtent(oldest, lookedUntil) : ''} wordsRef={words}>
      {query.hasNextPage && (
        <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void showOlder()}>
          {lookedUntil === null ? t('Show older') : t('Look further')}
        </Button>
      )}
    </ListFoot>
  );
}
