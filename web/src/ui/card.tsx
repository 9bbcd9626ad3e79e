// A card with a title: one of several sections of a page.
import { type ReactNode, useId } from 'react';
import styles from './card.module.css';
import { classes } from './dom.ts';

type CardProps = {
  title: string;
  sub?: ReactNode;
  /** A control to the right of the title. */
  action?: ReactNode;
  className?: string;
  children: ReactNode;
};

export function Card({ title, sub, action, className, children }: CardProps) {
  const titleId = useId();
  return (
    <section className={classes(styles.card, className)} aria-labelledby={titleId}>
      <div className={styles.head}>
        <div>
          <h2 id={titleId} className={styles.title}>
            {title}
          </h2>
          {sub && <p className={styles.sub}>{sub}</p>}
        </div>
        {action && <div className={styles.action}>{action}</div>}
      </div>
      {children}
    </section>
  );
}

// The content of a card, with padding. A table goes directly into the card, because a table needs no padding.
export function CardBody({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={classes(styles.body, className)}>{children}</div>;
}
