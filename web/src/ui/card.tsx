// A card with a title: one of several sections of a page.
import { type ReactNode, useId } from 'react';
import styles from './card.module.css';
import { classes } from './classes.ts';

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
