// Shows a code in the largest of three font sizes that fits its length.
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
