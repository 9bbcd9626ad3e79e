// The content of a card with a short list that has no search and no filters: the rows and the buttons for other pages.
// The page of the list is kept in React state, not in the URL: the URL belongs to the page on which the card stands.
import type { UseQueryResult } from '@tanstack/react-query';
import { LoadError } from '../../../parts/load-error.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { RowsLoading } from '../../../ui/rows-loading.tsx';
import { StatusLine } from '../../../ui/status-line.tsx';
import type { ShownPage } from './slice-list.ts';

type ShortListProps<Row> = {
  words: { caption: string; loading: string; notLoaded: string; empty: string };
  query: Pick<UseQueryResult, 'isPending' | 'isError' | 'isPlaceholderData' | 'refetch'>;
  page: ShownPage<Row>;
  columns: Column<Row>[];
};

export function ShortList<Row extends { id: string }>({ words, query, page, columns }: ShortListProps<Row>) {
  const { rows, toNext, toPrevious, ...figures } = page;
  if (query.isPending) {
    return (
      <RowsLoading>
        <StatusLine>{words.loading}</StatusLine>
      </RowsLoading>
    );
  }
  if (query.isError) {
    return (
      <CardBody>
        <LoadError words={words.notLoaded} onRetry={() => void query.refetch()} />
      </CardBody>
    );
  }
  if (rows.length === 0) {
    return (
      <NoRows>
        <p>{words.empty}</p>
      </NoRows>
    );
  }
  return (
    <>
      <DataTable
        caption={words.caption}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        busy={query.isPlaceholderData}
      />
      {(toNext || toPrevious) && (
        <Pager {...figures} shown={rows.length} onPrevious={toPrevious} onNext={toNext} />
      )}
    </>
  );
}
