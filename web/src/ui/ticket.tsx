// A ticket: two pieces of paper that meet at a perforation. States differ in what is printed, not in size.
import type { AriaAttributes, ReactNode } from 'react';
import { classes } from './classes.ts';
import paper from './paper.module.css';
import { Rosette } from './rosette.tsx';
import styles from './ticket.module.css';

export type TicketState = 'idle' | 'busy' | 'issued' | 'error' | 'spent' | 'blank';

type TicketProps = AriaAttributes & {
  state: TicketState;
  /** `turning`: side by side, one above the other on phones. `column`: always one above the other. */
  layout: 'turning' | 'column';
  /** Prints itself once, over blank paper with the mark of this id. */
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

type PieceProps = { className?: string; print?: string; children: ReactNode };

export function TicketMain({ className, print, children }: PieceProps) {
  return (
    <div className={classes(paper.piece, styles.main, className)}>
      {print && <Print id={print} />}
      {children}
    </div>
  );
}

/** The part that tears off. `print` is the id whose mark is printed on it. */
export function TicketStub({ className, print, layout, children }: PieceProps & Pick<TicketProps, 'layout'>) {
  const perforation = layout === 'column' ? paper.across : classes(paper.down, paper.turning);
  return (
    <div className={classes(paper.piece, styles.stub, className)}>
      {print && <Print id={print} />}
      <span className={classes(paper.perforation, perforation)} aria-hidden="true" />
      {children}
    </div>
  );
}

// Lies under the ticket until that is printed.
function BlankPaper({ layout, print }: Pick<TicketProps, 'layout'> & { print: string }) {
  return (
    <div className={classes(styles.blank, styles[layout])} aria-hidden="true">
      <TicketMain>{null}</TicketMain>
      <TicketStub layout={layout} print={print}>
        {null}
      </TicketStub>
    </div>
  );
}

function Print({ id }: { id: string }) {
  return (
    <span className={paper.print}>
      <Rosette id={id} size={240} detail="fine" />
    </span>
  );
}
