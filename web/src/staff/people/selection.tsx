// The people whom staff select in a list: some, on one or several of its pages, or all. A bar takes the place of the
// list's toolbar meanwhile.
import { ADDRESSES_MAX, type ListedUser } from '@portal/contract';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../../ui/button.tsx';
import { focusMain } from '../../ui/dom.ts';
import type { RowSelection } from '../../ui/table.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { sayNumber } from '../../words/format.ts';
import { say, sayCount } from '../../words/say.ts';
import { tellError } from '../action.tsx';
import type { ShownPage } from '../list.tsx';

type SelectionBarProps = {
  selection: PeopleSelection;
  page: Pick<ShownPage<unknown>, 'total' | 'isMore'>;
  /** The filters of the list in words, because the bar covers them; '' without a filter. */
  filter?: string;
  /** The buttons of the acts. */
  children: ReactNode;
};

export function SelectionBar({ selection, page, ...props }: SelectionBarProps) {
  const { filter = '', children } = props;
  const { count, isAll, selectAll, clear } = selection;
  const all = sayNumber(page.total);
  return (
    <section
      className="text-sm/8 flex flex-wrap items-center gap-x-3 gap-y-2 min-h-15 py-3.5 px-6 max-md:sticky max-md:z-2 max-md:top-0 max-md:px-4.5 max-md:border-b max-md:border-line max-md:bg-raised"
      aria-label={say('Selected people')}
    >
      <span className="font-medium tabular-nums" role="status">
        {sayCount(count, { one: '{count} selected', other: '{count} selected' })}
      </span>
      {!isAll && (page.isMore || page.total > count) && (
        <>
          <span className="w-px h-5 bg-line-strong max-md:hidden" aria-hidden="true" />
          <button
            type="button"
            className="min-h-6 rounded-[2px] leading-6 text-accent-text underline underline-offset-[0.2em] cursor-pointer"
            onClick={selectAll}
          >
            {page.isMore
              ? say('Select all, more than {count}', { count: all })
              : say('Select all {count}', { count: all })}
          </button>
        </>
      )}
      {filter && (
        <span className="min-w-0 wrap-anywhere leading-5 text-ink-3 max-md:basis-full max-md:-mt-2">
          {say('Filter: {words}', { words: filter })}
        </span>
      )}
      <div className="flex flex-wrap gap-2 ml-auto max-md:w-full max-md:ml-0 max-md:[&>button]:flex-1">
        {children}
        <Button size="sm" look="ghost" onClick={clear}>
          {say('Clear')}
        </Button>
      </div>
    </section>
  );
}

/** `list` names the search and the filters of the list. The selection ends when they change. */
type Chosen = { list: string; isAll: boolean; emails: readonly string[] };

export type PeopleSelection = {
  /** Number of selected people; 0 while nobody is selected. */
  count: number;
  /** True if all people of the list are selected, also those on other pages. */
  isAll: boolean;
  /** Addresses of the selected people; empty if all are selected. */
  emails: string[];
  rows: RowSelection<ListedUser>;
  selectAll: () => void;
  /** Ends the selection and returns the focus to the check box that was pressed last. */
  clear: () => void;
  /** Ends the selection after an act. The focus stays where it is. */
  end: () => void;
  /** Escape ends the selection. */
  onKeyDown: (event: KeyboardEvent) => void;
};

export function useSelection(list: string, page: ShownPage<ListedUser>): PeopleSelection {
  const none: Chosen = { list, isAll: false, emails: [] };
  const [last, setChosen] = useState(none);
  const lastBox = useRef<HTMLInputElement>(null);
  const chosen = last.list === list ? last : none;
  const isLost = last.list !== list && (last.isAll || last.emails.length > 0);
  useEffect(() => {
    if (!isLost) return;
    setChosen({ list, isAll: false, emails: [] });
    showToast({
      title: say('Selection cleared'),
      description: say('The list shows other people now.'),
    });
  }, [isLost, list]);

  const onSelect = (rows: readonly ListedUser[], isSelected: boolean, box: HTMLInputElement) => {
    lastBox.current = box;
    // Without one of its people, 'all' becomes the rest of this page.
    const before = chosen.isAll ? emailsOf(page.rows) : chosen.emails;
    const ticked = emailsOf(rows);
    const rest = before.filter((email) => !ticked.includes(email));
    const emails = isSelected ? [...rest, ...ticked] : rest;
    if (emails.length > ADDRESSES_MAX) {
      tellError(say('Select at most {count} people, or all of them.', { count: ADDRESSES_MAX }));
    } else setChosen({ list, isAll: false, emails });
  };
  const end = () => setChosen(none);
  const clear = () => {
    // Renders synchronously: the pressed button is removed before the check box gets the focus.
    flushSync(end);
    if (lastBox.current?.isConnected) lastBox.current.focus();
    else focusMain();
  };
  const count = chosen.isAll ? page.total : chosen.emails.length;
  return {
    count,
    isAll: chosen.isAll,
    emails: [...chosen.emails],
    rows: {
      sayLabel: ({ name, email }) => say('Select {name}', { name: name?.trim() || email }),
      isSelected: ({ email }) => chosen.isAll || chosen.emails.includes(email),
      onSelect,
    },
    selectAll: () => setChosen({ list, isAll: true, emails: [] }),
    clear,
    end,
    onKeyDown: ({ key, target }) => {
      // A dialog that was opened from the list closes on Escape; the selection stays.
      const isInDialog = target instanceof Element && target.closest('dialog') !== null;
      if (key === 'Escape' && count > 0 && !isInDialog) clear();
    },
  };
}

function emailsOf(rows: readonly ListedUser[]): string[] {
  return rows.map(({ email }) => email);
}
