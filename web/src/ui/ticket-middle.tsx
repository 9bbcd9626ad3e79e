// The middle of a ticket: the code, or the empty places of one.
import type { ReactNode } from 'react';
import styles from './ticket-parts.module.css';

export function TicketMiddle({ children }: { children: ReactNode }) {
  return <div className={styles.middle}>{children}</div>;
}
