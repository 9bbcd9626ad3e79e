// The main piece of a ticket.
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import paper from './paper.module.css';
import styles from './ticket.module.css';
import { TicketPrint } from './ticket-print.tsx';

export type PieceProps = {
  className?: string;
  /** The id whose mark is printed on the piece. */
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
