// The content of a card, with the card's margins. A table goes without them.
import type { ReactNode } from 'react';
import styles from './card.module.css';
import { classes } from './classes.ts';

export function CardBody({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={classes(styles.body, className)}>{children}</div>;
}
