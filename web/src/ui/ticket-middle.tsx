// The middle of a ticket: the code, or placeholders for its characters.
import type { ReactNode } from 'react';
import styles from './ticket-parts.module.css';

export function TicketMiddle({ children }: { children: ReactNode }) {
  return <div className={styles.middle}>{children}</div>;
}
