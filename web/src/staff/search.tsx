// The search field in the header of the staff pages (R-FIND-03): a combobox whose list stands below the field. The focus
// stays in the field. On phones a button opens the field, which then covers the page.
import { Autocomplete } from '@base-ui/react/autocomplete';
import { listUsers } from '@portal/contract';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useKnownCheck } from '../sign-in/admin-check.ts';
import { Button } from '../ui/button.tsx';
import { classes, countOpenDialogs, focusMain } from '../ui/dom.ts';
import { INPUT, SEARCH_INPUT } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { t } from '../words/translate.ts';
import { useMay } from './role.tsx';
import styles from './search.module.css';
import { KeysDialog } from './search-keys.tsx';
import { KEY, LEAST_CHARACTERS, Results, type Row, useFound } from './search-results.tsx';

export function StaffSearch() {
  return useKnownCheck() === 'admin' ? <SearchBox /> : null;
}

function SearchBox() {
  const maySeePeople = useMay()(listUsers);
  const root = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const before = useRef<EventTarget>(null);
  /** True after Enter, until the results of the typed text have arrived. */
  const isAwaited = useRef(false);
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [active, setActive] = useState<Row>();
  /** The text of the results in which an arrow key has moved; undefined again when something is typed. */
  const [movedIn, setMovedIn] = useState<string>();
  const [showsKeys, setShowsKeys] = useState(false);
  const open = () => setOpen(true);
  const close = () => setOpen(false);
  useLeaving(root, isOpen, close);
  useKeyOfPage('/', open);
  useKeyOfPage('?', () => setShowsKeys(true));
  // On phones, either the field or the rest of the page is hidden, and cannot get the focus. So the focus moves after the
  // change.
  const afterwards = useRef<() => void>(null);
  useEffect(() => {
    if (isOpen) field.current?.focus();
    else afterwards.current?.();
    afterwards.current = null;
  }, [isOpen]);

  const searched = text.trim();
  const isSearching = isOpen && Array.from(searched).length >= LEAST_CHARACTERS;
  const found = useFound(isSearching ? searched : '');
  const rows = found.groups.flatMap((group) => group.rows);
  const hasMoved = movedIn !== undefined && movedIn === found.q;
  const chosen = hasMoved && active?.kind === 'person' ? active.item : undefined;

  const empty = (then: () => void) => {
    afterwards.current = then;
    setText('');
    close();
  };
  const leave = () =>
    empty(() => {
      if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
      else field.current?.blur();
    });
  const press = (event: KeyboardEvent & { preventBaseUIHandler: () => void }) => {
    if (event.nativeEvent.isComposing) return;
    // These keys move in the text, not in the list.
    if (event.key === 'Home' || event.key === 'End') event.preventBaseUIHandler();
    else if (event.key === 'Escape' && text) setText('');
    else if (event.key === 'Escape') leave();
    else if (event.key === 'Enter' && isSearching && !found.isFresh) {
      // The list still shows the results of an earlier text.
      event.preventBaseUIHandler();
      isAwaited.current = true;
      found.hurry();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && active)
      window.open(active.path, '_blank');
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') setMovedIn(found.q);
    else if (chosen && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const link = root.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(event.key)}"]`);
      if (link) event.preventDefault();
      link?.click();
    }
  };
  useEffect(() => {
    if (!found.isFresh || !isAwaited.current) return;
    isAwaited.current = false;
    // Clicks the link instead of navigating, because a form with unsaved changes asks only about clicks (R-LIFE-31).
    root.current?.querySelector<HTMLElement>('[role="option"]')?.click();
  });
  const words = maySeePeople ? t('Search people, codes, products') : t('Search products');
  return (
    <search
      ref={root}
      // On phones, the open search covers the page. `[&>input]` is an input that Base UI adds for forms.
      className={classes(
        styles.search,
        'relative min-h-8 [grid-area:search] [&>input]:hidden max-md:ml-auto max-md:data-open:fixed max-md:data-open:inset-0 max-md:data-open:z-[calc(var(--z-header)+1)] max-md:data-open:overflow-y-auto max-md:data-open:bg-page',
      )}
      data-open={isOpen || undefined}
      data-wide={isSearching || undefined}
    >
      <Autocomplete.Root
        inline
        open
        items={rows}
        filter={null}
        value={text}
        onValueChange={(next) => {
          isAwaited.current = false;
          setMovedIn(undefined);
          setText(next);
        }}
        itemToStringValue={(row: Row) => row.name}
        autoHighlight="always"
        keepHighlight
        onItemHighlighted={(row, { reason }) => {
          setActive(row);
          if (reason === 'pointer') setMovedIn(undefined);
        }}
      >
        <Button
          look="ghost"
          size="sm"
          className="w-(--control-sm) px-0! md:hidden max-md:in-data-open:hidden"
          aria-label={t('Search')}
          onClick={open}
        >
          <Icon of={Search} />
        </Button>
        <div className="max-md:sticky max-md:top-0 max-md:flex max-md:min-h-16 max-md:items-center max-md:gap-2 max-md:border-b max-md:border-line max-md:bg-surface max-md:px-(--gutter) max-md:not-in-data-open:hidden">
          <div className="relative flex-1">
            <Icon
              of={Search}
              size={16}
              className="pointer-events-none absolute top-1/2 left-2.75 text-ink-3 [translate:0_-50%]"
            />
            <Autocomplete.Input
              ref={field}
              className={classes(
                INPUT,
                SEARCH_INPUT,
                'min-h-10 text-ellipsis pr-3 pl-8.5 rounded-md text-base/5.5 md:min-h-8 md:pr-10 lg:max-xl:pr-2 md:rounded-sm md:text-sm/5.5',
              )}
              aria-label={words}
              aria-expanded={rows.length > 0}
              aria-keyshortcuts="/"
              // Shorter than the label, which would be cut beside the entries.
              placeholder={maySeePeople ? t('People, codes, products') : t('Products')}
              enterKeyHint="search"
              maxLength={255}
              onFocus={({ relatedTarget }) => {
                before.current = relatedTarget;
                open();
              }}
              onKeyDown={press}
            />
            {text === '' && (
              <span
                className={classes(
                  KEY,
                  'pointer-events-none absolute top-1.5 right-1.75 max-md:hidden lg:max-xl:hidden',
                )}
                aria-hidden="true"
              >
                /
              </span>
            )}
          </div>
          <Button look="ghost" size="sm" className="md:hidden" onClick={leave}>
            {t('Cancel')}
          </Button>
        </div>
        {isSearching && (
          <Results
            {...{ ...found, text: searched, maySeePeople, chosen }}
            onOpened={() => empty(focusMain)}
          />
        )}
      </Autocomplete.Root>
      {showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}
    </search>
  );
}

/** While `active`, calls `leave` if the user clicks or focuses an element outside `root`. */
function useLeaving(root: { current: HTMLElement | null }, active: boolean, leave: () => void): void {
  useEffect(() => {
    if (!active) return;
    const look = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) leave();
    };
    const listening = new AbortController();
    document.addEventListener('pointerdown', look, { signal: listening.signal });
    document.addEventListener('focusin', look, { signal: listening.signal });
    return () => listening.abort();
  });
}

/** Calls `act` if the user presses `key`, except in a field where the user types, or while a dialog is open. */
function useKeyOfPage(key: string, act: () => void): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.altKey || event.metaKey) return;
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement &&
        (target.isContentEditable ||
          target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=file])'));
      if (isTyping || countOpenDialogs() > 0 || event.defaultPrevented) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
