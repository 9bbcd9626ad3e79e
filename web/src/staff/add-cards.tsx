// The cards above a list that add rows to it. They are closed until somebody needs them, so that the list is in view
// (R-DAY-01). Their headings are buttons beside the title of the page; on phones they are one block below the title.
import type { TeamRole } from '@portal/contract';
import { ChevronDown, KeyRound, Plus, Upload } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { createContext, useContext, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useLocation, useSearch } from 'wouter';
import { buttonClass } from '../ui/button.tsx';
import { CARD } from '../ui/card.tsx';
import { classes } from '../ui/dom.ts';
import { Icon } from '../ui/icon.tsx';
import { BesideTitle } from './frame.tsx';
import { RoleGate } from './role.tsx';

/** Value of the query parameter `open`: the card that is open (N-207). */
type CardName = 'add' | 'upload' | 'access';

type Cards = { open: readonly CardName[]; toggle: (name: CardName) => void };
const CardsContext = createContext<Cards>({ open: [], toggle: () => undefined });

type AddCardsProps = {
  /** True if the list has no rows. The cards of `adding` open then, and stay open until the user closes one. */
  isEmpty?: boolean;
  adding?: readonly CardName[];
  /** A card that opens by itself, for example because it shows the progress of an upload. */
  needed?: CardName | undefined;
  children: ReactNode;
};

/** The open card, above the list. The headings of all cards are in the element of `BesideTitle`. */
export function AddCards({ isEmpty = false, adding = BOTH, needed, children }: AddCardsProps) {
  const [wasEmpty, setWasEmpty] = useState(isEmpty);
  if (isEmpty && !wasEmpty) setWasEmpty(true);
  return (
    <div className="flex flex-col gap-5 empty:hidden not-has-[section:not([hidden])]:hidden md:flex-row md:flex-wrap print:hidden">
      <CardsContext value={useCards(wasEmpty ? adding : NONE, needed)}>{children}</CardsContext>
    </div>
  );
}

const BOTH = ['add', 'upload'] as const;
const NONE: readonly CardName[] = [];

/**
 * The query parameter `open` of the address names the open card, so that a reload and the Back button keep it. Without
 * this parameter, the cards `initial` are open. If the user closes the last of them, the parameter is 'none'.
 */
function useCards(initial: readonly CardName[], needed: CardName | undefined): Cards {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const query = new URLSearchParams(search);
  const chosen = query.get('open') as CardName | null;
  const open = chosen ? [chosen] : initial;
  const show = (name: CardName | 'none' | null, replace = false) => {
    if (name === null) query.delete('open');
    else query.set('open', name);
    const text = query.toString();
    navigate(path + (text && `?${text}`), { replace });
  };
  const showNeeded = useEffectEvent(() => {
    if (needed && !chosen) show(needed, true);
  });
  useEffect(() => showNeeded(), [needed]);
  const toggle = (name: CardName) => {
    const next = open.includes(name) ? open.find((other) => other !== name) : name;
    show(next ?? (initial.length > 0 ? 'none' : null));
  };
  return { open, toggle };
}

type AddCardProps = {
  name: CardName;
  title: string;
  sub?: string;
  /** The call that the card makes, with the role that it needs. */
  to: { role: TeamRole };
  children: ReactNode;
};

export function AddCard({ to, ...props }: AddCardProps) {
  return (
    <RoleGate to={to}>
      <Card {...props} />
    </RoleGate>
  );
}

const FIRST_FIELD = ':is(input:not([type=file]), select, textarea, button):not(:disabled)';

function Card({ name, title, sub, children }: Omit<AddCardProps, 'to'>) {
  const { open, toggle } = useContext(CardsContext);
  const isOpen = open.includes(name);
  const id = useId();
  const heading = useRef<HTMLButtonElement>(null);
  const fields = useRef<HTMLDivElement>(null);
  // A card that the address opens does not take the focus.
  const isPressed = useRef(false);
  // A closed card stays in the page, hidden, so that typed text is not lost.
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  useEffect(() => {
    if (isOpen && isPressed.current) fields.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    isPressed.current = false;
  }, [isOpen]);
  const press = () => {
    isPressed.current = true;
    toggle(name);
  };
  const closeOnEscape = ({ key, defaultPrevented, target }: KeyboardEvent) => {
    if (key !== 'Escape' || defaultPrevented) return;
    if (!(target as Element).closest('form[data-untouched]')) return;
    toggle(name);
    heading.current?.focus();
  };
  const look = name === 'add' && !isOpen ? 'primary' : 'outline';
  const beside = useContext(BesideTitle);
  return (
    <>
      {beside &&
        createPortal(
          <h2 id={`${id}-title`} className="flex text-base/6">
            <button
              ref={heading}
              type="button"
              className={classes(
                buttonClass({ look, size: 'sm' }),
                'max-md:w-full max-md:min-h-11 max-md:justify-start max-md:rounded-none max-md:border-0 max-md:bg-transparent max-md:px-4.5 max-md:text-md max-md:text-ink max-md:hover:bg-hover md:min-h-9',
                isOpen && 'md:bg-pressed! md:border-line-control!',
              )}
              aria-expanded={isOpen}
              aria-controls={isOpen ? id : undefined}
              onClick={press}
            >
              <Icon of={ICONS[name]} size={16} />
              {title}
              <Icon
                of={ChevronDown}
                size={16}
                className={classes('ml-auto text-ink-3 md:hidden', isOpen && '[rotate:180deg]')}
              />
            </button>
          </h2>,
          beside,
        )}
      {wasOpen && (
        <section
          id={id}
          hidden={!isOpen}
          className={classes(isOpen && CARD, open.length > 1 ? 'md:flex-[1_1_24rem]' : 'md:basis-full')}
          aria-labelledby={`${id}-title`}
          onKeyDown={closeOnEscape}
        >
          <p className="pt-5 px-6 text-base/6 font-semibold max-md:px-4.5" aria-hidden="true">
            {title}
          </p>
          {sub && <p className="pt-0.5 px-6 text-sm text-ink-3 max-md:px-4.5">{sub}</p>}
          <div ref={fields} className="flex flex-1 flex-col">
            {children}
          </div>
        </section>
      )}
    </>
  );
}

const ICONS = { add: Plus, upload: Upload, access: KeyRound };
