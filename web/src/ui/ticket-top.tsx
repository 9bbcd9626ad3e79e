// The top line of a ticket: its type, and a note at the right.
import type { ReactNode } from 'react';
import styles from './ticket-parts.module.css';

export function TicketTop({ children }: { children: ReactNode }) {
  return <div className={styles.top}>{children}</div>;
}
