// The content of a card, with padding. A table goes directly into the card, because a table needs no padding.
import type { ReactNode } from 'react';
import styles from './card.module.css';
import { classes } from './classes.ts';

export function CardBody({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={classes(styles.body, className)}>{children}</div>;
}
