// A ticket: two pieces of paper with a perforation between them. All states have the same size.
import type { AriaAttributes, ReactNode } from 'react';
import { BlankPaper } from './blank-paper.tsx';
import { classes } from './classes.ts';
import styles from './ticket.module.css';

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
