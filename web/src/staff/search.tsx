// The search field in the header of the staff pages (R-FIND-03). Follows the combobox pattern of WAI-ARIA: the focus
// stays in the field, and `aria-activedescendant` names the active result. On phones a button opens the field, which then
// covers the page.
import { listUsers } from '@portal/contract';
import { Search } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useKnownCheck } from '../sign-in/admin-check.ts';
import { Button } from '../ui/button.tsx';
import { classes, countOpenDialogs, focusMain, useLeaving } from '../ui/dom.ts';
import { Icon } from '../ui/icon.tsx';
import input from '../ui/input.module.css';
import { say } from '../words/say.ts';
import styles from './find.module.css';
import { useMay } from './role.tsx';
import { Results } from './search-results.tsx';

/** A shorter text finds nothing, as on the server (FIND_LEAST). */
const LEAST_CHARACTERS = 2;

export function StaffSearch() {
  return useKnownCheck() === 'admin' ? <SearchBox /> : null;
}

function SearchBox() {
  const maySeePeople = useMay()(listUsers);
  const id = useId();
  const root = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const before = useRef<EventTarget>(null);
  /** The results handle the keys that choose and open one. */
  const keys = useRef<(event: KeyboardEvent) => void>(null);
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [active, setActive] = useState<string>();
  const open = () => setOpen(true);
  const close = () => setOpen(false);
  useLeaving(root, isOpen, close);
  useSlash(open);
  // On phones the field is not displayed while it is closed, and the rest of the page is not while the field is open.
  // Such elements cannot get the focus. So the focus moves after the change.
  const afterwards = useRef<() => void>(null);
  useEffect(() => {
    if (isOpen) field.current?.focus();
    else afterwards.current?.();
    afterwards.current = null;
  }, [isOpen]);

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
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key !== 'Escape') keys.current?.(event);
    else if (text) setText('');
    else leave();
  };
  const searched = text.trim();
  return (
    <search ref={root} className={styles.find} data-open={isOpen || undefined}>
      <Button
        look="ghost"
        size="sm"
        className="w-(--control-sm) px-0! md:hidden max-md:in-data-open:hidden"
        aria-label={say('Search')}
        onClick={open}
      >
        <Icon of={Search} />
      </Button>
      <div className={styles.sheet}>
        <Field
          ref={field}
          words={maySeePeople ? say('Search people, codes, products') : say('Search products')}
          list={`${id}-list`}
          active={active}
          value={text}
          onFocus={({ relatedTarget }) => {
            before.current = relatedTarget;
            open();
          }}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={press}
        />
        <Button look="ghost" size="sm" className="md:hidden" onClick={leave}>
          {say('Cancel')}
        </Button>
      </div>
      {isOpen && Array.from(searched).length >= LEAST_CHARACTERS && (
        <Results
          id={`${id}-list`}
          text={searched}
          maySeePeople={maySeePeople}
          keys={keys}
          onActive={setActive}
          onOpened={() => empty(focusMain)}
        />
      )}
    </search>
  );
}

type FieldProps = ComponentProps<'input'> & {
  /** Label and placeholder. */
  words: string;
  /** Id of the list of results. */
  list: string;
  /** Id of the active result. Undefined if there is no list. */
  active: string | undefined;
};

function Field({ words, list, active, ...rest }: FieldProps) {
  return (
    <div className={styles.box}>
      <Icon of={Search} size={16} />
      <input
        {...rest}
        role="combobox"
        className={classes(input.input, styles.field)}
        aria-label={words}
        aria-expanded={active !== undefined}
        aria-controls={active && list}
        aria-activedescendant={active}
        aria-autocomplete="list"
        placeholder={words}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={255}
      />
      <span className={styles.key} aria-hidden="true">
        /
      </span>
    </div>
  );
}

/** Calls `enter` if the user presses `/`, except in a field where the user types, or while a dialog is open. */
function useSlash(enter: () => void): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.altKey || event.metaKey) return;
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement &&
        (target.isContentEditable ||
          target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=file])'));
      if (isTyping || countOpenDialogs() > 0 || event.defaultPrevented) return;
      event.preventDefault();
      enter();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
