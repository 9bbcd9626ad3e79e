// The larger of the two pieces of a ticket.
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import paper from './paper.module.css';
import styles from './ticket.module.css';
import { TicketPrint } from './ticket-print.tsx';

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
