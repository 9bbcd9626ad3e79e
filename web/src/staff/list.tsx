// The lists of staff: a card with rows, and the state of the list in the URL.

import type { ReplyOf } from '@portal/contract';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type LucideIcon, RefreshCw } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { type Call, readPage } from '../api.ts';
import { LoadError } from '../page.tsx';
import { keepChoice, readChoice } from '../sign-in/session.ts';
import { Button } from '../ui/button.tsx';
import { Card, CardBody } from '../ui/card.tsx';
import { FilterSelect, Segments } from '../ui/choice.tsx';
import { classes, focusMain, useIsPhone } from '../ui/dom.ts';
import { Pager, SortSelect, Tools } from '../ui/list-controls.tsx';
import { StatusLine } from '../ui/notice.tsx';
import { SearchField } from '../ui/search-field.tsx';
import type { CellWords, Column } from '../ui/table.tsx';
import { cutWords, DataTable, NoRows, ROW_LINK, RowsLoading } from '../ui/table.tsx';
import { t } from '../words/translate.ts';
import { type Changed, refreshLists } from './action.tsx';
import { formatTime } from './time.ts';

type Loading = Pick<UseQueryResult, 'isPending' | 'isError' | 'isPlaceholderData' | 'refetch'>;
type TableProps<Row> = Omit<Parameters<typeof DataTable<Row>>[0], 'rows' | 'busy'>;

type ListCardProps<Row> = {
  title: string;
  sub?: string;
  words: ListWords;
  /** Missing for a list without search and filters. */
  list?: List;
  query: Loading & AsOfProps['query'];
  /** See `AsOf`. If missing, the card shows no time. */
  of?: AsOfProps['of'];
  /** True while the names in the rows are loading. */
  lacksNames?: boolean;
  page: ShownPage<Row>;
  table: TableProps<Row>;
  /** Shown above the text if the list is empty. */
  icon?: LucideIcon;
  filters?: ReactNode;
  /** Filters in a second row, if one row is too short for all. */
  moreFilters?: ReactNode;
  /** Actions on the whole list, after the filters. */
  actions?: ReactNode;
  /** Replaces search and filters, for example while rows are selected. */
  bar?: ReactNode;
};

/** A card with a list: search and filters, rows, and buttons for other pages. */
export function ListCard<Row>({ title, sub, of, list, query, page, ...props }: ListCardProps<Row>) {
  const { words, lacksNames, table, icon, filters, moreFilters, actions, bar } = props;
  const { toNext, toPrevious, numbers, rows, ...figures } = page;
  const isPending = query.isPending || lacksNames === true;
  const isPhone = useIsPhone();
  const hasTools = words.search || filters || actions;
  const search = list && words.search && (
    <SearchField
      label={words.search}
      hint={words.searchHint ?? ''}
      value={list.state.q}
      onSearch={list.search}
    />
  );
  const sorting =
    list && list.sorts.length > 0 ? { sort: list.state.sort ?? '', onSort: list.sort } : undefined;
  return (
    <Card
      title={title}
      sub={sub}
      action={
        of && (
          <div className="flex items-center gap-2 md:has-[>:nth-child(2)]:mr-3">
            <AsOf query={query} of={of} />
            {!isPhone && actions}
          </div>
        )
      }
    >
      {bar}
      {!bar && (hasTools || sorting) && (
        // The select alone is only for phones. Wider screens have the space that a heading has above a table.
        <div className={hasTools ? 'contents' : 'md:h-4.5 md:*:hidden'}>
          <Tools
            search={search}
            more={moreFilters}
            actions={isPhone || !of ? actions : undefined}
            set={countFilters(list)}
          >
            {filters}
            {sorting && <SortSelect sorting={sorting} columns={table.columns} usual={words.usualOrder} />}
          </Tools>
        </div>
      )}
      {!isPending && !query.isError && rows.length > 0 ? (
        <>
          <DataTable {...table} {...{ sorting, rows }} busy={query.isPlaceholderData} />
          {(list || toNext || toPrevious) && (
            <Pager
              {...figures}
              shown={rows.length}
              onPrevious={toPrevious}
              onNext={toNext}
              numbers={list && numbers && <PageNumbers {...numbers} hrefOf={list.hrefOf} />}
            >
              {list && figures.total > Number(PAGE_SIZES[0]) && (
                <FilterSelect
                  label={t('Rows a page')}
                  value={String(list.pageSize)}
                  options={PAGE_SIZES.map((value) => ({
                    value,
                    label: t('{count} rows a page', { count: value }),
                  }))}
                  onChange={list.resize}
                />
              )}
            </Pager>
          )}
        </>
      ) : (
        <Instead {...{ words, list, query, isPending, icon }} />
      )}
    </Card>
  );
}

/** Returns the number of filters that are set; a chosen order counts too. */
function countFilters(list: List | undefined): number {
  if (list === undefined) return 0;
  const { filters, sort } = list.state;
  return Object.values(filters).filter(Boolean).length + (sort ? 1 : 0);
}

type PageNumbersProps = Numbers & { hrefOf: List['hrefOf'] };

/** A link to each page (R-DAY-13). Phones show the first, the last and the pages beside the current one. */
function PageNumbers({ current, states, hrefOf }: PageNumbersProps) {
  // Phones have room for few numbers.
  const isNear = (number: number) =>
    Math.abs(number - current) <= 1 || number === 1 || number === states.length;
  return (
    <nav aria-label={t('Pages')} className="flex flex-wrap items-center gap-0.5">
      {states.map((state, index) => {
        const number = index + 1;
        return (
          <Fragment key={number}>
            {number > 1 && isNear(number) && !isNear(number - 1) && (
              <span aria-hidden="true" className="text-ink-3 md:hidden">
                …
              </span>
            )}
            <Link
              href={hrefOf(state)}
              aria-label={t('Page {number}', { number })}
              aria-current={number === current ? 'page' : undefined}
              className={classes(
                'grid min-h-(--control-sm) min-w-(--control-sm) place-items-center rounded-sm px-1 text-ink-2 hover:bg-hover hover:text-ink aria-[current]:bg-pressed aria-[current]:font-medium aria-[current]:text-ink',
                !isNear(number) && 'max-md:hidden',
              )}
            >
              {number}
            </Link>
          </Fragment>
        );
      })}
    </nav>
  );
}

type InsteadProps = Pick<ListCardProps<never>, 'words' | 'list' | 'query' | 'icon'> & { isPending: boolean };

/** In a card whose query has failed. */
export function CardError({ words, query }: { words: string; query: Pick<Loading, 'refetch'> }) {
  return (
    <CardBody>
      <LoadError words={words} onRetry={() => void query.refetch()} />
    </CardBody>
  );
}

/** What the card shows without rows. */
function Instead({ words, list, query, isPending, icon }: InsteadProps) {
  if (isPending)
    return (
      <RowsLoading>
        <StatusLine>{words.loading}</StatusLine>
      </RowsLoading>
    );
  if (query.isError) return <CardError words={words.notLoaded} query={query} />;
  if (!list || (!list.isNarrowed && pageOf(list.state) === 1))
    return <NoRows icon={icon}>{words.empty}</NoRows>;
  const showAll = () => {
    list.reset();
    focusMain();
  };
  return (
    <NoRows>
      <p role="status">
        {list.isNarrowed
          ? (words.noMatch ?? t('Nothing matches.'))
          : (words.emptyPage ?? t('There is nothing on this page.'))}
      </p>
      <Button size="sm" onClick={showAll}>
        {words.showAll ?? t('Show all')}
      </Button>
    </NoRows>
  );
}

type ShortListProps<C extends Call> = Pick<ListCardProps<RowOf<C>>, 'title' | 'sub' | 'words'> & {
  list: C;
  filters: Record<string, string>;
  columns: Column<RowOf<C>>[];
  pageSize?: number;
};

/** A list without search and filters. Its page is not in the URL, so that Back leaves the page with the card. */
export function ShortList<C extends Call>(props: ShortListProps<C>) {
  const { list, filters, columns, pageSize = 20, ...card } = props;
  const [state, show] = useState<ListState>({ q: '', filters, cursors: [] });
  const keyOf = (row: RowOf<C>) => (row as { id: string }).id;
  const shown = useList(list, { state, show, pageSize });
  return <ListCard {...card} {...shown} table={{ caption: card.title, columns, keyOf }} />;
}

/** Returns the list of current or of archived rows, and the control that chooses one of them. */
export function useArchivable<Row>(
  current: UseQueryResult<Row[]>,
  archived: UseQueryResult<Row[]>,
  sorts: readonly string[] = [],
) {
  const list = useListState(['show'], { sorts });
  const { state, show, filter } = list;
  const isArchived = state.filters.show === ARCHIVED;
  return {
    // The choice is not a filter: it stays when the search is removed.
    list: { ...list, isNarrowed: state.q !== '', reset: () => show({ ...firstPage(state), q: '' }) },
    isArchived,
    query: isArchived ? archived : current,
    choice: (
      <Segments
        label={t('Show')}
        value={isArchived ? ARCHIVED : ''}
        options={[
          { value: '', label: t('Current'), count: current.data?.length },
          { value: ARCHIVED, label: t('Archived'), count: archived.data?.length },
        ]}
        onChange={(value) => filter('show', value)}
      />
    ),
  };
}

const ARCHIVED = 'archived';

/** A link in the cell that names a row. If the name is cut, the cell has the whole name as its label (WCAG 2.5.3). */
export function RowLink({ href, words: { text } }: { href: string; words: CellWords }) {
  return (
    <Link href={href} className={ROW_LINK} dir="auto">
      {text}
    </Link>
  );
}

/** A column with a text of at most `max` characters, on a line of its own on phones. */
export function column<Row>(
  label: string,
  textOf: (row: Row) => string,
  { max = Number.POSITIVE_INFINITY, ...more }: Partial<Omit<Column<Row>, 'words'>> & { max?: number } = {},
): Column<Row> {
  return { label, as: 'line', words: (row) => cutWords(textOf(row), max), ...more };
}

export type List = ReturnType<typeof useListState>;
type RowOf<C extends Call> = ReplyOf<C> extends (infer Row)[] ? Row : never;

type ListOptions = {
  /** False for a list without search and pages. */
  hasPages?: boolean;
  /** The names of the columns by which the list can be sorted. */
  sorts?: readonly string[];
};

/** Returns the state of a list from the URL, and functions that change this state. */
export function useListState(
  filterNames: readonly string[],
  { hasPages = true, sorts = [] }: ListOptions = {},
) {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const [pageSize, setPageSize] = useState(readPageSize);
  const read = readListState(search, filterNames, sorts);
  // Cursors of pages of another size, for example after Back, would lead to other rows than the page says.
  const rowsOfCursors = Number(new URLSearchParams(search).get(ROWS) ?? PAGE_SIZES[0]);
  const state = rowsOfCursors === pageSize ? read : firstPage(read);
  const own = hasPages ? [Q, AT, PAGE, SORT, ROWS, ...filterNames] : filterNames;
  const hrefOf = (next: ListState) => {
    const text = writeListState(next, search, own);
    return (
      path + text + (pageOf(next) > 1 && pageSize !== Number(PAGE_SIZES[0]) ? `&${ROWS}=${pageSize}` : '')
    );
  };
  const show = (next: ListState, replace = false) => navigate(hrefOf(next), { replace });
  return {
    state,
    sorts,
    pageSize,
    hrefOf,
    resize: (rows: string) => {
      keepChoice('rowsOfPage', rows);
      setPageSize(Number(rows));
      // The page in the address is one of the other size.
      if (pageOf(state) > 1) show(firstPage(state));
    },
    isNarrowed: state.q !== '' || Object.keys(state.filters).length > 0,
    show,
    // Replaces the history entry: otherwise, Back would remove only one letter of the search.
    search: (q: string) => {
      if (q !== state.q) show({ ...firstPage(state), q }, true);
    },
    filter: (name: string, value: string) =>
      show({ ...firstPage(state), filters: { ...state.filters, [name]: value } }),
    sort: (sort: string) => show({ ...firstPage(state), sort }),
    /** Shows the first page without search and filters. */
    reset: () => show({ q: '', filters: {}, cursors: [] }),
  };
}

/** Returns the query and the page that `state` selects. While a new page loads, the old rows stay on the screen. */
export function useList<C extends Call>(of: C, { state, show, pageSize }: Paged) {
  const address = listRequest(of.path, state, pageSize);
  const before = (pageOf(state) - 1) * pageSize;
  const query = useQuery({
    queryKey: [address],
    queryFn: async () => ({ ...(await readPage<RowOf<C>>(address)), before }),
    placeholderData: keepPreviousData,
  });
  const { next, ...shown } = query.data ?? { rows: [], before: 0, total: 0, isMore: false, next: null };
  const goNext = () => {
    // While old rows are still on the screen, `next` is the cursor after them. A click would open a wrong page.
    if (next && !query.isPlaceholderData) show({ ...state, cursors: [...state.cursors, next] });
  };
  const previous = previousPage(state);
  const page: ShownPage<RowOf<C>> = {
    ...shown,
    numbers: shown.isMore ? undefined : numberPages(state, shown.total, pageSize),
    toNext: next ? goNext : undefined,
    toPrevious: previous && (() => show(previous)),
  };
  return { query, page };
}

type Paged = Pick<List, 'state' | 'show' | 'pageSize'>;

/** The numbers of rows of a page from which users choose (R-DAY-13). */
const PAGE_SIZES = ['20', '50', '100'];

/** The first one, unless this browser keeps another choice. */
function readPageSize(): number {
  const kept = readChoice('rowsOfPage') ?? '';
  return Number(PAGE_SIZES.includes(kept) ? kept : PAGE_SIZES[0]);
}

/** The rows of one page, their position in the list, and functions that open the next and the previous page. */
export type ShownPage<Row> = {
  rows: Row[];
  before: number;
  total: number;
  /** True if the list has more rows than `total`, because the server stops counting at a limit. */
  isMore: boolean;
  /** The pages by number; undefined for a list with one page, or with too many. */
  numbers?: Numbers | undefined;
  toNext: (() => void) | undefined;
  toPrevious: (() => void) | undefined;
};

/** `current` is the number of the current page. `states` has the state of the list for each page, the first page first. */
type Numbers = { current: number; states: ListState[] };

/** A list with more pages has no numbers, because a page far down would take the server too long (N-206). */
const MOST_NUMBERS = 20;

function numberPages(state: ListState, total: number, pageSize: number): Numbers | undefined {
  const count = Math.ceil(total / pageSize);
  if (count < 2 || count > MOST_NUMBERS) return undefined;
  const states = Array.from({ length: count }, (_, index) => ({
    ...firstPage(state),
    ...numbered(index + 1),
  }));
  return { current: pageOf(state), states };
}

const numbered = (page: number) => (page > 1 ? { page } : {});

/** Returns the number of the page that `state` selects. */
function pageOf({ page = 1, cursors }: ListState): number {
  return page + cursors.length;
}

function firstPage({ page: _, ...state }: ListState): ListState {
  return { ...state, cursors: [] };
}

/** Returns the state of the page before; undefined on the first page. */
function previousPage(state: ListState): ListState | undefined {
  const { page = 1, cursors } = state;
  if (cursors.length > 0) return { ...state, cursors: cursors.slice(0, -1) };
  return page > 1 ? { ...firstPage(state), ...numbered(page - 1) } : undefined;
}

/** Returns the page of `all` that `state` selects. The cursor of a page is the index of its first row in `all`. */
export function sliceList<Row>(all: Row[], { state, show, pageSize }: Paged): ShownPage<Row> {
  const { cursors } = state;
  const before = Math.min(Number(cursors.at(-1) ?? (pageOf(state) - 1) * pageSize), all.length);
  const end = before + pageSize;
  const previous = previousPage(state);
  return {
    rows: all.slice(before, end),
    before,
    total: all.length,
    isMore: false,
    numbers: numberPages(state, all.length, pageSize),
    toNext: end < all.length ? () => show({ ...state, cursors: [...cursors, String(end)] }) : undefined,
    toPrevious: previous && (() => show(previous)),
  };
}

/** Returns the rows in the order `sort` of one of the columns, see `Sorting`. Equal rows keep their order. */
export function sortRows<Row>(rows: Row[], columns: readonly Column<Row>[], sort = ''): Row[] {
  const name = sort.replace('-', '');
  const { sortedBy, isDescending = false } = columns.find((column) => column.sort === name) ?? {};
  if (!sortedBy) return rows;
  const direction = (sort === name) === isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [sortedBy(one), sortedBy(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return direction * (typeof a === 'number' ? a - Number(b) : a.localeCompare(String(b)));
  });
}

/**
 * The state of a list. `cursors` has one cursor for each page after the page with the number `page`, to the current page.
 * So the last cursor selects the current page. Without cursors, the current page is `page`.
 */
export type ListState = {
  q: string;
  filters: Record<string, string>;
  cursors: string[];
  /** From 2 to MOST_NUMBERS; missing for the first page. */
  page?: number;
  /** See `Sorting`. */
  sort?: string;
};

// Matches the query parameter `at`: cursors that the server returned, separated by dots. The cursors of earlier pages are
// needed for the button 'Previous'.
const CURSORS = /^\d{1,19}(-[\da-f]*)?(\.\d{1,19}(-[\da-f]*)?)*$/;
const Q = 'q';
const AT = 'at';
const PAGE = 'page';
const SORT = 'sort';
const ROWS = 'rows';

/** Reads the state of a list from the query of a URL. Ignores unknown names and invalid cursors. */
export function readListState(
  search: string,
  filterNames: readonly string[],
  sorts: readonly string[] = [],
): ListState {
  const query = new URLSearchParams(search);
  const at = query.get(AT) ?? '';
  const filters: Record<string, string> = {};
  for (const name of filterNames) {
    const value = query.get(name);
    if (value) filters[name] = value;
  }
  const sort = query.get(SORT) ?? '';
  const page = Number(query.get(PAGE));
  return {
    q: query.get(Q) ?? '',
    filters,
    cursors: CURSORS.test(at) ? at.split('.') : [],
    ...(Number.isInteger(page) && page <= MOST_NUMBERS && numbered(page)),
    ...(sorts.includes(sort.replace('-', '')) && { sort }),
  };
}

/**
 * Returns the query for a URL, with its question mark; '' if it is empty. `own` are the names that the list may change.
 * All others stay as they are in `search`.
 */
export function writeListState(
  { q, filters, cursors, page = 1, sort = '' }: ListState,
  search = '',
  own: readonly string[] = [Q, AT, PAGE, SORT, ...Object.keys(filters)],
): string {
  const query = new URLSearchParams(search);
  for (const name of own) query.delete(name);
  const number = page > 1 ? String(page) : '';
  const values = { [Q]: q, ...filters, [SORT]: sort, [PAGE]: number, [AT]: cursors.join('.') };
  for (const [name, value] of Object.entries(values)) if (value && own.includes(name)) query.set(name, value);
  const text = query.toString();
  return text && `?${text}`;
}

/** Returns the URL of the request for the current page of the list. `path` is the path of the API call. */
export function listRequest(
  path: string,
  { q, filters, cursors, page = 1, sort }: ListState,
  pageSize: number,
): string {
  const query = new URLSearchParams({ limit: String(pageSize) });
  const cursor = cursors.at(-1);
  if (cursor) query.set('cursor', cursor);
  else if (page > 1) query.set('offset', String((page - 1) * pageSize));
  if (q) query.set('q', q);
  for (const [name, value] of Object.entries(filters)) query.set(name, value);
  if (sort) query.set('sort', sort);
  return `${path}?${query}`;
}

/**
 * Returns the id of the row that a form has just created; the list highlights this row. The form calls `onSaved`, which
 * sets the id and shows the first page without filters, because the newest row is there.
 */
export function useNewRow() {
  const [newRow, setNewRow] = useState<string>();
  const [path, navigate] = useLocation();
  const onSaved = (key: string) => {
    setNewRow(key);
    // The card of the form stays open (R-DAY-02).
    navigate(`${path}?open=add`, { replace: true });
  };
  return { newRow, onSaved };
}

/** Whole sentences: a template with the noun as a parameter would give wrong sentences in some languages. */
type ListWords = {
  /** Label of the search field; missing if the list has no search. */
  search?: string;
  /** Placeholder of the search field: the fields that the search reads. */
  searchHint?: string;
  /** Name of the order without a chosen column. */
  usualOrder?: string;
  loading: string;
  notLoaded: string;
  /** For a list that has no rows even without search and filters. */
  empty: string;
  /** For a search or filters that find nothing. */
  noMatch?: string;
  /** For a later page whose rows were removed meanwhile. */
  emptyPage?: string;
  /** The button that leads back to the whole list. */
  showAll?: string;
};

type AsOfProps = {
  query: Pick<UseQueryResult, 'isError' | 'isFetching' | 'dataUpdatedAt'>;
  /** The lists that the button 'Refresh' loads again. The button also loads the statistics of the dashboard again. */
  of: readonly Changed[];
};

/** Shows nothing while the list loads for the first time, and nothing after an error. */
export function AsOf({ query: { isError, isFetching, dataUpdatedAt }, of }: AsOfProps) {
  const [pressed, setPressed] = useState(false);
  // The invisible text has the width of the later one, so that nothing moves.
  const time = formatTime(new Date(dataUpdatedAt || Date.now()));
  const words = t('As of {time}', { time });
  if (isError) return null;
  const refresh = () => {
    setPressed(true);
    refreshLists(...of);
  };
  return (
    <div
      className="text-sm flex items-center gap-1 tabular-nums text-ink-3 whitespace-nowrap data-loading:invisible max-md:last:-mr-3"
      data-loading={dataUpdatedAt === 0 ? '' : undefined}
    >
      <span>{words}</span>
      <Button size="sm" look="ghost" icon={RefreshCw} busy={isFetching} onClick={refresh}>
        <span className="max-md:sr-only">{t('Refresh')}</span>
      </Button>
      <span className="sr-only" role="status">
        {pressed && !isFetching && words}
      </span>
    </div>
  );
}
