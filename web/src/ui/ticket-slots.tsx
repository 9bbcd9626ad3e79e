// Placeholders for the characters of a code. The placeholders pulse while the code is requested.
import styles from './ticket-parts.module.css';

const GROUPS = ['first', 'second', 'third'] as const;
const PLACES = [0, 1, 2, 3] as const;

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
