// The content of a list card: the search and filters, then the rows and the buttons for other pages. If there are no
// rows, a message replaces the rows and buttons.
import type { UseQueryResult } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { LoadError } from '../../../parts/load-error.tsx';
import { Button } from '../../../ui/button.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { NoRows } from '../../../ui/no-rows.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { RowsLoading } from '../../../ui/rows-loading.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { StatusLine } from '../../../ui/status-line.tsx';
import { Toolbar } from '../../../ui/toolbar.tsx';
import type { ListWords } from './list-words.ts';
import type { ShownPage } from './slice-list.ts';
import type { List } from './use-list.ts';

type ListBodyProps = {
  words: ListWords;
  list: List;
  query: Pick<UseQueryResult, 'isPending' | 'isError' | 'refetch'>;
  page: ShownPage<unknown>;
  /** Shown above the text if the list is empty. */
  icon?: LucideIcon;
  filters?: ReactNode;
  /** Filters in a second row, if one row is too short for all. */
  moreFilters?: ReactNode;
  /** Acts on the whole list, at the end of the row of filters. */
  acts?: ReactNode;
  /** Shown instead of the search and the filters, for example while rows are selected. */
  bar?: ReactNode;
  /** The table with the rows of the page. */
  children: ReactNode;
};

export function ListBody({ filters, moreFilters, acts, bar, children, ...props }: ListBodyProps) {
  const { words, list, query, page } = props;
  const { toNext, toPrevious, rows, ...figures } = page;
  const hasRows = !query.isPending && !query.isError && rows.length > 0;
  return (
    <>
      {bar}
      {!bar && (words.search || filters || acts) && (
        <Toolbar more={moreFilters} acts={acts}>
          {words.search && (
            <SearchField
              label={words.search}
              hint={words.searchHint ?? ''}
              value={list.state.q}
              onSearch={list.search}
            />
          )}
          {filters}
        </Toolbar>
      )}
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

function Instead({ words, list, query, icon }: Omit<ListBodyProps, 'children'>) {
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
  if (!list.isNarrowed && list.state.cursors.length === 0) {
    return (
      <NoRows icon={icon}>
        <p>{words.empty}</p>
      </NoRows>
    );
  }
  const showAll = () => {
    list.reset();
    focusMain();
  };
  return (
    <NoRows>
      <p role="status">{list.isNarrowed ? words.noMatch : words.emptyPage}</p>
      <Button size="sm" onClick={showAll}>
        {words.showAll}
      </Button>
    </NoRows>
  );
}
