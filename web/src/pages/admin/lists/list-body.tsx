// A list in a card: search and filters above, rows or what there is instead of them, the way to the next page.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LoadError } from '../../../parts/load-error.tsx';
import { Button } from '../../../ui/button.tsx';
import { CardBody } from '../../../ui/card.tsx';
import { NoRows, RowsLoading } from '../../../ui/data-table.tsx';
import { Pager, SearchField, Toolbar } from '../../../ui/list-controls.tsx';
import { StatusLine } from '../../../ui/status-line.tsx';
import type { ShownPage } from './slice-list.ts';
import type { List } from './use-list.ts';

type ListBodyProps = {
  /** 'coupons': said while they load and when none is found. */
  what: string;
  /** Said when there are none at all. */
  empty: string;
  /** What can be searched for. */
  searchHint: string;
  list: List;
  query: Pick<UseQueryResult, 'isPending' | 'isError' | 'refetch'>;
  page: ShownPage<unknown>;
  filters?: ReactNode;
  /** The table. */
  children: ReactNode;
};

export function ListBody({ filters, children, ...props }: ListBodyProps) {
  const { what, searchHint, list, query, page } = props;
  const { toNext, toPrevious, rows, ...figures } = page;
  const hasRows = !query.isPending && !query.isError && rows.length > 0;
  return (
    <>
      <Toolbar>
        <SearchField label={`Search ${what}`} hint={searchHint} value={list.state.q} onSearch={list.search} />
        {filters}
      </Toolbar>
      {hasRows ? (
        <>
          {children}
          <Pager {...figures} shown={rows.length} onPrevious={toPrevious} onNext={toNext} />
        </>
      ) : (
        <Instead {...props} />
      )}
    </>
  );
}

function Instead({ what, empty, list, query }: Omit<ListBodyProps, 'children'>) {
  if (query.isPending) {
    return (
      <RowsLoading>
        <StatusLine>Loading {what}...</StatusLine>
      </RowsLoading>
    );
  }
  if (query.isError) {
    return (
      <CardBody>
        <LoadError what={`the ${what}`} onRetry={() => void query.refetch()} />
      </CardBody>
    );
  }
  if (!list.isNarrowed && list.state.cursors.length === 0) {
    return (
      <NoRows>
        <p>{empty}</p>
      </NoRows>
    );
  }
  return (
    <NoRows>
      <p role="status">{list.isNarrowed ? `No ${what} match.` : `There are no ${what} on this page.`}</p>
      <Button size="sm" onClick={list.reset}>
        Show all {what}
      </Button>
    </NoRows>
  );
}
