// The card with everything in the log: the filters, one page of lines, and the buttons for other pages.

import { listAudit } from '@portal/contract';
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../../../api-error.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { ListFoot } from '../../../ui/list-foot.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { PageButton } from '../../../ui/page-button.tsx';
import { say } from '../../../words/say.ts';
import { AsOf } from '../lists/as-of.tsx';
import { useList, useListState } from '../lists/use-list.ts';
import { changeFilter, FILTERS, type FilterName, readFilters, toParameters } from './activity-filters.ts';
import { FilterBar } from './filter-bar.tsx';
import styles from './log.module.css';
import { LogLines, LogLoading, PAGE_LINES } from './log-lines.tsx';
import { sayExtent } from './say-extent.ts';

type ActivityCardProps = {
  /** Returns the button that downloads the lines. `filters` are the parameters of the API call. */
  download: (filters: Record<string, string>) => ReactNode;
};

export function ActivityCard({ download }: ActivityCardProps) {
  const list = useListState(FILTERS);
  const { state, show } = list;
  const filters = readFilters(state.filters);
  const parameters = toParameters(filters);
  const { query, page } = useList(
    listAudit,
    {
      state: { q: '', filters: parameters, cursors: state.cursors },
      show: ({ cursors }) => show({ ...state, cursors }),
    },
    PAGE_LINES,
  );
  const { rows, toNext, toPrevious } = page;
  const lookedUntil = query.data?.lookedUntil ?? null;
  const change = (name: FilterName, value: string) =>
    show({ q: '', filters: changeFilter(filters, name, value), cursors: [] });
  // Nobody with the address in the filter is known: then no line matches.
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const isEmpty = isUnknown || (query.data !== undefined && rows.length === 0);
  const isNarrowed = Object.keys(filters).length > 0 || state.cursors.length > 0;
  const clear = () => {
    list.reset();
    focusMain();
  };
  return (
    <Card
      title={say('Activity')}
      sub={say('Everything that was changed or sent, newest first')}
      action={
        <div className={styles.acts}>
          <AsOf query={query} of={[]} />
          {download(parameters)}
        </div>
      }
    >
      <FilterBar filters={filters} lines={rows} onChange={change} onClear={clear} />
      {query.isPending && <LogLoading />}
      {query.isError && !isUnknown && (
        <CardBody>
          <LoadError words={say('We could not load the activity.')} onRetry={() => void query.refetch()} />
        </CardBody>
      )}
      {isEmpty && (
        <NoRows icon={Search}>
          <p role="status">
            {isNarrowed ? say('Nothing in the log matches.') : say('Nothing has happened yet.')}
          </p>
          {isNarrowed && (
            <Button size="sm" onClick={clear}>
              {say('Clear')}
            </Button>
          )}
        </NoRows>
      )}
      {!query.isError && rows.length > 0 && <LogLines lines={rows} hasAbout busy={query.isPlaceholderData} />}
      {!query.isError && (rows.length > 0 || toNext || toPrevious) && (
        <ListFoot words={sayExtent(rows.at(-1), lookedUntil)}>
          {(toNext || toPrevious) && (
            <>
              {(lookedUntil === null || toPrevious) && (
                <PageButton onPress={toPrevious}>{say('Newer')}</PageButton>
              )}
              <PageButton onPress={toNext}>
                {lookedUntil === null ? say('Older') : say('Look further')}
              </PageButton>
            </>
          )}
        </ListFoot>
      )}
    </Card>
  );
}
