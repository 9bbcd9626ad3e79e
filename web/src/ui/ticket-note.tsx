// The note in small text on a ticket.
import type { ReactNode } from 'react';
import styles from './ticket-parts.module.css';

export function TicketNote({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className={styles.note}>
      {children}
    </p>
  );
}
