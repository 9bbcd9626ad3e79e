// The line at the top of a ticket: its kind, and a note at the right.
import type { ReactNode } from 'react';
import styles from './ticket-parts.module.css';

export function TicketTop({ children }: { children: ReactNode }) {
  return <div className={styles.top}>{children}</div>;
}
