// A ticket: two pieces of paper with a perforation between them. All states have the same size.
import type { AriaAttributes, ReactNode } from 'react';
import { classes } from './dom.ts';
import paper from './paper.module.css';
import { Rosette } from './rosette.tsx';
import strip from './strip.module.css';
import styles from './ticket.module.css';
import ticketParts from './ticket-parts.module.css';

export type TicketState = 'idle' | 'busy' | 'issued' | 'past' | 'error' | 'spent' | 'blank';

type TicketProps = AriaAttributes & {
  state: TicketState;
  /** `turning`: the pieces are in a row, on phones in a column. `column`: the pieces are always in a column. */
  layout: 'turning' | 'column';
  /** If set, the print animation runs once over blank paper. The rosette on this paper is generated from this id. */
  printsOver?: string;
  className?: string;
  children: ReactNode;
};

export function Ticket({ state, layout, printsOver, className, children, ...aria }: TicketProps) {
  return (
    <section
      {...aria}
      className={classes(styles.ticket, styles[layout], className)}
      data-state={state}
      data-fresh={printsOver !== undefined || undefined}
    >
      {printsOver !== undefined && <BlankPaper layout={layout} print={printsOver} />}
      {children}
    </section>
  );
}

// The larger of the two pieces of a ticket.

export type PieceProps = {
  className?: string;
  /** If set, this piece shows the rosette that is generated from this id. */
  print?: string;
  children: ReactNode;
};

export function TicketMain({ className, print, children }: PieceProps) {
  return (
    <div className={classes(paper.piece, styles.main, className)}>
      {print && <TicketPrint id={print} />}
      {children}
    </div>
  );
}

// The top line of a ticket: its type, and a note at the right.
export function TicketTop({ children }: { children: ReactNode }) {
  return <div className={ticketParts.top}>{children}</div>;
}

// The middle of a ticket: the code, or placeholders for its characters.
export function TicketMiddle({ children }: { children: ReactNode }) {
  return <div className={ticketParts.middle}>{children}</div>;
}

// Shows a code, or what stands for it, in the largest of three font sizes that fits its length.

type TicketCodeProps = {
  id: string;
  code: string;
  /** Read by screen readers in place of the code. */
  spoken?: string | undefined;
};

export function TicketCode({ id, code, spoken }: TicketCodeProps) {
  const length = Array.from(code).length;
  return (
    <p
      id={id}
      className={ticketParts.code}
      data-length={length <= 14 ? 'short' : length <= 20 ? 'medium' : 'long'}
    >
      {spoken ? <span aria-hidden="true">{code}</span> : code}
      {spoken && <span className="sr-only">{spoken}</span>}
    </p>
  );
}

// The note in small text on a ticket.
export function TicketNote({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className={ticketParts.note}>
      {children}
    </p>
  );
}

// Placeholders for the characters of a code. The placeholders pulse while the code is requested.

const GROUPS = ['first', 'second', 'third'] as const;
const PLACES = [0, 1, 2, 3] as const;

export function TicketSlots() {
  return (
    <div className={ticketParts.slots} aria-hidden="true">
      {GROUPS.map((group) => (
        <span key={group} className={ticketParts.group}>
          {PLACES.map((place) => (
            <span key={place} className={ticketParts.slot} />
          ))}
        </span>
      ))}
    </div>
  );
}

// The smaller piece of a ticket, after the perforation.

type TicketStubProps = PieceProps & { layout: 'turning' | 'column' };

export function TicketStub({ className, print, layout, children }: TicketStubProps) {
  const perforation = layout === 'column' ? paper.across : classes(paper.down, paper.turning);
  return (
    <div className={classes(paper.piece, styles.stub, className)}>
      {print && <TicketPrint id={print} />}
      <span className={classes(paper.perforation, perforation)} aria-hidden="true" />
      {children}
    </div>
  );
}

// The rosette on a piece of a ticket.
function TicketPrint({ id }: { id: string }) {
  return (
    <span className={paper.print}>
      <Rosette id={id} size={240} detail="fine" />
    </span>
  );
}

// The blank paper behind a ticket while the ticket's print animation runs.

type BlankPaperProps = { layout: 'turning' | 'column'; print: string };

function BlankPaper({ layout, print }: BlankPaperProps) {
  return (
    <div className={classes(styles.blank, styles[layout])} aria-hidden="true">
      <TicketMain>{null}</TicketMain>
      <TicketStub layout={layout} print={print}>
        {null}
      </TicketStub>
    </div>
  );
}

// Three numbered steps on one strip of paper, for example the steps of a redemption.

type StripProps = { label: string; steps: { title: string; text: string; mark: string }[] };

export function Strip({ label, steps }: StripProps) {
  return (
    <ol className={strip.strip} aria-label={label}>
      {steps.map(({ title, text, mark }, index) => (
        <li key={title} className={paper.piece}>
          <span className={paper.print}>
            <Rosette id={mark} size={240} detail="fine" />
          </span>
          {index > 0 && (
            <span className={classes(paper.perforation, paper.down, paper.turning)} aria-hidden="true" />
          )}
          <span className={strip.number} aria-hidden="true">
            {index + 1}
          </span>
          <h2>{title}</h2>
          <p>{text}</p>
        </li>
      ))}
    </ol>
  );
}
