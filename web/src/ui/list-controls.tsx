// The row above a list with its filters and actions on the whole list, and the row below the list.
import { ListFilter } from 'lucide-react';
import { type ReactNode, type Ref, useId, useState } from 'react';
import { t } from '../words/translate.ts';
import { Button, OFF_BUTTON } from './button.tsx';
import { FilterSelect } from './choice.tsx';
import { useIsPhone } from './dom.ts';
import type { Column, Sorting } from './table.tsx';

type ToolbarProps = { more?: ReactNode; actions?: ReactNode; children: ReactNode };

/** If `more` is set, these filters and the actions are in a second row, where one row is too narrow. */
function Toolbar({ more, actions, children }: ToolbarProps) {
  const end = actions && <div className="ms-auto">{actions}</div>;
  return (
    <div className="flex flex-wrap items-center gap-3 py-3.5 px-6 max-md:px-4.5 print:hidden">
      {children}
      {more ? (
        <div className="flex flex-[1_1_100%] flex-wrap items-center gap-3 xl:contents">
          {more}
          {end}
        </div>
      ) : (
        end
      )}
    </div>
  );
}

type ToolsProps = Parameters<typeof Toolbar>[0] & {
  search: ReactNode;
  /** The number of filters that are set. */
  set: number;
};

/** Phones show the search in one row with a button that opens all else. Wider screens show everything. */
export function Tools({ search, set, more, actions, children }: ToolsProps) {
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const hasMore = [children, more, actions].flat().some(Boolean);
  if (!isPhone || !search || !hasMore)
    return (
      <Toolbar more={more} actions={actions}>
        {search}
        {children}
      </Toolbar>
    );
  return (
    <Toolbar>
      {search}
      <Button
        size="sm"
        icon={ListFilter}
        className="aria-expanded:bg-pressed"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {set > 0 ? t('Filters ({count})', { count: set }) : t('Filters')}
      </Button>
      {isOpen && (
        <div id={id} className="flex min-w-0 flex-[1_1_100%] flex-wrap items-center gap-3">
          {children}
          {more}
          {actions}
        </div>
      )}
    </Toolbar>
  );
}

/** Phones do not show the headings of the columns, which sort the list. They show this select. */
export function SortSelect({
  sorting,
  columns,
  usual = t('Usual order'),
}: {
  sorting: Sorting;
  columns: readonly Pick<Column<never>, 'sort' | 'label'>[];
  usual: string | undefined;
}) {
  const options = columns.flatMap(({ sort, label }) =>
    sort
      ? [
          { value: sort, label },
          { value: `-${sort}`, label: t('{column}, reversed', { column: label }) },
        ]
      : [],
  );
  return (
    <div className="flex flex-[1_1_100%] md:hidden">
      <FilterSelect
        label={t('Sort by')}
        value={sorting.sort}
        options={[{ value: '', label: usual }, ...options]}
        onChange={sorting.onSort}
      />
    </div>
  );
}

type ListFootProps = { words: string; wordsRef?: Ref<HTMLSpanElement>; children: ReactNode };

/** The row below a list. The caller may move the focus to the text through `wordsRef`. */
export function ListFoot({ words, wordsRef, children }: ListFootProps) {
  return (
    <div className="text-(length:--text-sm) flex flex-wrap items-center justify-between gap-3 min-h-11 py-2.5 px-6 border-t border-line tabular-nums text-ink-3 max-md:px-4.5">
      <span ref={wordsRef} role="status" tabIndex={wordsRef ? -1 : undefined}>
        {words}
      </span>
      {children && (
        <div className="flex flex-wrap items-center gap-2 md:grow md:justify-end print:hidden">
          {children}
        </div>
      )}
    </div>
  );
}

type PagerProps = {
  /** Number of rows on the pages before this one. */
  before: number;
  shown: number;
  total: number;
  /** True if the list has more than `total` rows. */
  isMore: boolean;
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  /** Shown between the buttons: links to the pages by number. */
  numbers?: ReactNode;
  /** Shown before the buttons. */
  children?: ReactNode;
};

export function Pager({ before, shown, total, isMore, onPrevious, onNext, numbers, children }: PagerProps) {
  const figures = { from: before + 1, to: before + shown, total };
  return (
    <ListFoot
      words={isMore ? t('{from}–{to} of more than {total}', figures) : t('{from}–{to} of {total}', figures)}
    >
      {children && <div className="grid flex-[0_1_9.5rem] min-w-0 max-md:flex-[1_1_100%]">{children}</div>}
      {(onPrevious || onNext) && (
        <div className="flex items-center gap-2">
          <PageButton onPress={onPrevious}>{t('Previous')}</PageButton>
          {numbers}
          <PageButton onPress={onNext}>{t('Next')}</PageButton>
        </div>
      )}
    </ListFoot>
  );
}

type PageButtonProps = { onPress: (() => void) | undefined; children: ReactNode };

/** The button is not `disabled`, so that a clicked button keeps the focus on the first and last page. */
export function PageButton({ onPress, children }: PageButtonProps) {
  return (
    <Button size="sm" className={OFF_BUTTON} aria-disabled={!onPress} onClick={onPress}>
      {children}
    </Button>
  );
}
