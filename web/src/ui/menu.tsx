// A button that opens a menu of acts (actions), for example for one row of a list. It shows three dots, or other words.
import { Ellipsis, type LucideIcon } from 'lucide-react';
import { Fragment, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import styles from './act-menu.module.css';
import { Button } from './button.tsx';
import { classes, useLeaving } from './dom.ts';
import { Icon } from './icon.tsx';

type ActMenuProps = {
  /** Label of the button: 'More for' and the name of a product. */
  label: string;
  /** The acts in groups. A line separates two groups. */
  groups: readonly (readonly Act[])[];
  /** The content of the button, which `label` names; three dots if it is missing. */
  face?: ReactNode;
  /** Text below the acts. */
  foot?: string;
  /** True while an act that was chosen is running. */
  busy?: boolean;
};

export function ActMenu({ label, groups, face, foot, busy }: ActMenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => setOpen(false);
  useLeaving(root, open, close);
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    setOpen(true);
  };
  return (
    <div ref={root} className="relative grid">
      <Button
        ref={opener}
        size="sm"
        className={classes('aria-expanded:bg-pressed', face === undefined && 'w-(--control-sm) px-0!')}
        busy={busy}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={face === undefined ? label : undefined}
        onKeyDown={openByKey}
        onClick={() => setOpen(!open)}
      >
        {face ?? <Icon of={Ellipsis} size={16} />}
      </Button>
      {open && (
        <ActMenuItems
          id={id}
          label={label}
          foot={foot}
          groups={groups.filter((acts) => acts.length > 0)}
          onLeave={() => {
            close();
            opener.current?.focus();
          }}
        />
      )}
    </div>
  );
}

// The items of an open menu; each item is an act. The arrow keys, Home, End and letters move the focus; Escape and Tab
// close the menu.

export type Act = {
  label: string;
  icon: LucideIcon;
  /** Text below the label that says more about the act. */
  hint?: string;
  /** If set, the act is impossible and does nothing when chosen. The menu shows this reason below the label. */
  obstacle?: string | undefined;
  /** True shows the act in red. */
  danger?: boolean;
  onChoose: () => void;
};

type ActMenuItemsProps = {
  id: string;
  label: string;
  groups: readonly (readonly Act[])[];
  /** Text below the acts. */
  foot?: string | undefined;
  /** Closes the menu and returns the focus to the button that opened the menu. */
  onLeave: () => void;
};

function ActMenuItems({ id, label, groups, foot, onLeave }: ActMenuItemsProps) {
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') onLeave();
    else if (!moveFocus(event.currentTarget, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const choose = ({ obstacle, onChoose }: Act) => {
    if (obstacle !== undefined) return;
    holdSecondClick();
    onLeave();
    onChoose();
  };
  return (
    <div
      ref={arrive}
      id={id}
      role="menu"
      aria-label={label}
      className="absolute z-(--z-header) top-[calc(100%_+_0.375rem)] right-0 w-max min-w-56 max-w-[min(21rem,_calc(100vw_-_5rem))] p-1 border border-line rounded-lg bg-raised [box-shadow:var(--shadow-md)] data-up:top-auto data-up:bottom-[calc(100%_+_0.375rem)]"
      onKeyDown={press}
    >
      {groups.map((acts, at) => (
        <Fragment key={acts[0]?.label}>
          {at > 0 && <hr className="h-px my-1 -mx-1 border-0 bg-line" />}
          {acts.map((act) => (
            <button
              key={act.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={classes(
                styles.act,
                act.danger && !act.obstacle && 'text-danger-text [&>svg]:text-danger-text',
              )}
              aria-disabled={act.obstacle !== undefined || undefined}
              onClick={() => choose(act)}
            >
              <Icon of={act.icon} size={16} />
              <span>
                {act.label}
                {(act.obstacle ?? act.hint) && <small>{act.obstacle ?? act.hint}</small>}
              </span>
            </button>
          ))}
        </Fragment>
      ))}
      {foot && (
        <>
          <hr className="h-px my-1 -mx-1 border-0 bg-line" />
          <p role="presentation" className="text-xs pt-1 px-2.5 pb-1.5 text-ink-3">
            {foot}
          </p>
        </>
      )}
    </div>
  );
}

/**
 * Called with the menu on mount. Opens the menu upwards if there is too little space below, and focuses the first act.
 */
function arrive(menu: HTMLElement | null): void {
  if (menu === null) return;
  const { bottom, height } = menu.getBoundingClientRect();
  const above = menu.parentElement?.getBoundingClientRect().top ?? 0;
  if (bottom > innerHeight && above > height) menu.dataset.up = '';
  menu.querySelector('button')?.focus();
}

/** The second click of a double click on an act does not press what lies below the menu, which is closed by then. */
function holdSecondClick(): void {
  const hold = (event: MouseEvent) => {
    if (event.detail > 1) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  document.addEventListener('click', hold, { capture: true, once: true });
}

/** Moves the focus within the menu. Returns false if the key has no meaning there. */
function moveFocus(menu: Element, key: string): boolean {
  const acts = [...menu.querySelectorAll('button')];
  const at = acts.indexOf(document.activeElement as HTMLButtonElement);
  const target = findTarget(acts, at, key);
  target?.focus();
  return target !== undefined;
}

function findTarget<Item extends Element>(acts: Item[], at: number, key: string): Item | undefined {
  switch (key) {
    case 'ArrowDown':
      return acts[(at + 1) % acts.length];
    case 'ArrowUp':
      return acts.at(at - 1);
    case 'Home':
      return acts[0];
    case 'End':
      return acts.at(-1);
    default:
      return key.length === 1 && key !== ' ' ? findByLetter(acts, at, key) : undefined;
  }
}

/** Returns the first act after index `at` whose label begins with `letter`. Continues at the start of the menu. */
function findByLetter<Item extends Element>(acts: Item[], at: number, letter: string): Item | undefined {
  const inOrder = [...acts.slice(at + 1), ...acts.slice(0, at + 1)];
  return inOrder.find((act) => act.textContent.trim().toLowerCase().startsWith(letter.toLowerCase()));
}
