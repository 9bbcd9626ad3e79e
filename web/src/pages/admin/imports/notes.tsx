// A list of what people must know about a file before they upload it.
import type { ReactNode } from 'react';
import styles from './imports.module.css';

export function Notes({ children }: { children: ReactNode }) {
  return <ul className={styles.notes}>{children}</ul>;
}
