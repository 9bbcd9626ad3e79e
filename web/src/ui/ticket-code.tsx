// A code in figures as large as it allows: up to 14, 15 to 20, and more characters.
import styles from './ticket-parts.module.css';

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
