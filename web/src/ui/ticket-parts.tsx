// What is printed on the main piece of a ticket.
import type { ReactNode } from 'react';
import styles from './ticket-parts.module.css';

/** The line at the top of the main piece: what it is, and a note at the right. */
export function TicketTop({ children }: { children: ReactNode }) {
  return <div className={styles.top}>{children}</div>;
}

/** The middle of the main piece: the code, or the empty places of one. */
export function TicketMiddle({ children }: { children: ReactNode }) {
  return <div className={styles.middle}>{children}</div>;
}

/** The small print. */
export function TicketNote({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className={styles.note}>
      {children}
    </p>
  );
}

/** A code in figures as large as it allows: up to 14, 15 to 20, and more characters. */
export function TicketCode({ id, code }: { id: string; code: string }) {
  const length = Array.from(code).length;
  return (
    <p
      id={id}
      className={styles.code}
      data-length={length <= 14 ? 'short' : length <= 20 ? 'medium' : 'long'}
    >
      {code}
    </p>
  );
}

const GROUPS = ['first', 'second', 'third'] as const;
const PLACES = [0, 1, 2, 3] as const;

/** Empty places for a code; they pulse while it is on its way. */
export function TicketSlots() {
  return (
    <div className={styles.slots} aria-hidden="true">
      {GROUPS.map((group) => (
        <span key={group} className={styles.group}>
          {PLACES.map((place) => (
            <span key={place} className={styles.slot} />
          ))}
        </span>
      ))}
    </div>
  );
}
