// Shows a code, or what stands for it, in the largest of three font sizes that fits its length.
import styles from './ticket-parts.module.css';

type TicketCodeProps = {
  id: string;
  code: string;
  /** Read by screen readers in place of the code. */
  spoken?: string | undefined;
};

export function TicketCode({ id, code, spoken }: TicketCodeProps) {
  const length = Array.from(code).length;
  return (
    <p
      id={id}
      className={styles.code}
      data-length={length <= 14 ? 'short' : length <= 20 ? 'medium' : 'long'}
    >
      {spoken ? <span aria-hidden="true">{code}</span> : code}
      {spoken && <span className="sr-only">{spoken}</span>}
    </p>
  );
}
