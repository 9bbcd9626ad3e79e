// The blank paper behind a ticket while the ticket's print animation runs.
import { classes } from './classes.ts';
import styles from './ticket.module.css';
import { TicketMain } from './ticket-main.tsx';
import { TicketStub } from './ticket-stub.tsx';

type BlankPaperProps = { layout: 'turning' | 'column'; print: string };

export function BlankPaper({ layout, print }: BlankPaperProps) {
  return (
    <div className={classes(styles.blank, styles[layout])} aria-hidden="true">
      <TicketMain>{null}</TicketMain>
      <TicketStub layout={layout} print={print}>
        {null}
      </TicketStub>
    </div>
  );
}
