// A ticket: two pieces of paper that meet at a perforation. States differ in what is printed, not in size.
import type { AriaAttributes, ReactNode } from 'react';
import { BlankPaper } from './blank-paper.tsx';
import { classes } from './classes.ts';
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
