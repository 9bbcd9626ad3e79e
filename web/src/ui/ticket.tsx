// A ticket: two pieces of paper with a perforation between them. All states have the same size.
import type { AriaAttributes, ReactNode } from 'react';
import { classes } from './dom.ts';
import { Rosette } from './rosette.tsx';
import styles from './ticket.module.css';

/** Classes of a sheet with its pieces in a column: a card of a benefit. */
export const COLUMN_SHEET = classes(styles.sheet, styles.column);

const LAYOUTS = { turning: classes(styles.sheet, styles.turning, styles.ticket), column: COLUMN_SHEET };

export type TicketState = 'idle' | 'busy' | 'issued' | 'past' | 'error' | 'spent' | 'blank';

type TicketProps = AriaAttributes & {
  state: TicketState;
  /** `turning`: the pieces are in a row, on phones in a column. `column`: the pieces are always in a column. */
  layout: keyof typeof LAYOUTS;
  /** If set, the print animation runs once over blank paper. The rosette on this paper is generated from this id. */
  printsOver?: string;
  className?: string;
  children: ReactNode;
};

export function Ticket({ state, layout, printsOver, className, children, ...aria }: TicketProps) {
  return (
    <section
      {...aria}
      className={classes(LAYOUTS[layout], className)}
      data-state={state}
      data-fresh={printsOver !== undefined || undefined}
    >
      {printsOver !== undefined && (
        <div className={classes(LAYOUTS.turning, styles.blank)} aria-hidden="true">
          <TicketMain>{null}</TicketMain>
          <TicketStub print={printsOver}>{null}</TicketStub>
        </div>
      )}
      {children}
    </section>
  );
}

type PieceProps = { className?: string; print?: string; children: ReactNode };

/** The larger of the two pieces of a ticket. If `print` is an id, the piece shows the rosette of this id. */
export function TicketMain({ className, print, children }: PieceProps) {
  return (
    <div className={classes(styles.piece, styles.first, className)}>
      {print && <TicketPrint id={print} />}
      {children}
    </div>
  );
}

/** The top line: the type of the ticket, and a note at the right. */
export function TicketTop({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm whitespace-nowrap text-[color:var(--small-print,var(--ink-3))] [&>:last-child]:min-w-0 [&>:last-child]:overflow-hidden [&>:last-child]:text-ellipsis">
      {children}
    </div>
  );
}

/** The code, or placeholders for its characters. */
export function TicketMiddle({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-[clamp(0.625rem,3*var(--per-cent),1.25rem)] gap-y-3.5 my-auto">
      {children}
    </div>
  );
}

// With the second value of min(), the word 'Copied' fits next to a code of 14 characters in a window of 320 px.
const CODE_SIZES = {
  short: 'text-[length:clamp(0.9375rem,min(7.4*var(--per-cent),11.6*var(--per-cent)_-_13px),3.25rem)]/[1.1]',
  medium: 'text-[length:clamp(1.25rem,5.6*var(--per-cent),2.5rem)]/[1.1]',
  long: 'text-[length:clamp(1.125rem,4.2*var(--per-cent),1.75rem)]/[1.1]',
};

type TicketCodeProps = { id: string; code: string; spoken?: string | undefined; className?: string };

/** A code in the largest of three font sizes that fits. Screen readers read `spoken` in place of a masked code. */
export function TicketCode({ id, code, spoken, className }: TicketCodeProps) {
  const length = Array.from(code).length;
  return (
    <p
      id={id}
      // A click selects all of the code, not only the part up to a hyphen (R-FIND-02).
      className={classes(
        'select-all font-mono font-medium [font-variant-ligatures:none] tracking-[-0.01em] wrap-anywhere',
        className ?? CODE_SIZES[length <= 14 ? 'short' : length <= 20 ? 'medium' : 'long'],
      )}
    >
      {spoken ? <span aria-hidden="true">{code}</span> : code}
      {spoken && <span className="sr-only">{spoken}</span>}
    </p>
  );
}

export function TicketNote({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="max-w-[64ch] text-sm text-[color:var(--small-print,var(--ink-2))]">
      {children}
    </p>
  );
}

const GROUPS = ['[--group:0]', '[--group:1]', '[--group:2]'];
const PLACES = ['[--place:0]', '[--place:1]', '[--place:2]', '[--place:3]'];

/** Placeholders for the characters of a code. They pulse while the code is requested. */
export function TicketSlots() {
  return (
    <div
      className="flex items-center gap-[clamp(0.5rem,2.4*var(--per-cent),1.125rem)] in-data-[state=spent]:opacity-50"
      aria-hidden="true"
    >
      {GROUPS.map((group) => (
        <span
          key={group}
          className={classes(
            'flex items-center gap-[0.3em] not-first:before:w-3 not-first:before:h-0.5 not-first:before:mr-[calc(clamp(0.5rem,2.4*var(--per-cent),1.125rem)_-_0.3em)] not-first:before:bg-(--n-5)',
            group,
          )}
        >
          {PLACES.map((place) => (
            <span key={place} className={classes(styles.slot, place)} />
          ))}
        </span>
      ))}
    </div>
  );
}

/** The smaller piece of a ticket, after the perforation. */
export function TicketStub({ className, print, children }: PieceProps) {
  return (
    <div className={classes(styles.piece, styles.last, className)}>
      {print && <TicketPrint id={print} />}
      <span className={styles.perforation} aria-hidden="true" />
      {children}
    </div>
  );
}

function TicketPrint({ id, className }: { id: string; className?: string }) {
  return (
    <span className={styles.print}>
      <Rosette id={id} size={240} detail="fine" className={className} />
    </span>
  );
}

const MARK = 'top-[-4.5rem] right-[-3.75rem] size-60 max-lg:-top-16 max-lg:-right-13 max-lg:size-44';
/** Classes of the pieces, their drawings and their small texts. */
const STEPS = [
  { piece: styles.first, mark: '', small: 'text-ink-2', number: 'text-ink-3' },
  { piece: '', mark: 'text-accent-text opacity-75', small: 'text-ink-2', number: 'text-ink-3' },
  {
    piece: classes(
      styles.last,
      '[--paper:var(--accent-solid)] [--rim:var(--accent-rim)] [--hole:var(--accent-hole)] text-on-accent',
    ),
    mark: 'text-on-accent opacity-45',
    small: '',
    number: '',
  },
];

type Step = { title: string; text: string; mark: string };

/** Three numbered steps on one strip of paper. */
export function Strip({ label, steps }: { label: string; steps: Step[] }) {
  return (
    <ol
      className={classes(styles.sheet, styles.strip, styles.turning, 'mt-[clamp(3rem,6vw,5rem)]')}
      aria-label={label}
    >
      {steps.map(({ title, text, mark }, index) => (
        <li
          key={title}
          className={classes(
            styles.piece,
            'flex flex-col justify-end gap-1.5 min-h-70 pt-8 px-8 pb-9 max-md:min-h-50 max-md:p-6',
            STEPS[index]?.piece,
          )}
        >
          <TicketPrint id={mark} className={classes(MARK, STEPS[index]?.mark)} />
          {index > 0 && <span className={styles.perforation} aria-hidden="true" />}
          {/* In the font for text: the page would load the font for codes, of 23 kB, only for these numbers. */}
          <span
            className={classes(
              'absolute top-7 left-8 text-md/6 font-medium max-md:top-6 max-md:left-6',
              STEPS[index]?.number,
            )}
            aria-hidden="true"
          >
            {index + 1}
          </span>
          <h2 className="text-xl">{title}</h2>
          <p className={classes('max-w-[34ch] text-md', STEPS[index]?.small)}>{text}</p>
        </li>
      ))}
    </ol>
  );
}
