// The smaller piece of a ticket, after the perforation.
import { classes } from './classes.ts';
import paper from './paper.module.css';
import styles from './ticket.module.css';
import type { PieceProps } from './ticket-main.tsx';
import { TicketPrint } from './ticket-print.tsx';

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
