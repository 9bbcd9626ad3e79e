// The row of search and filters above a list.
import type { ReactNode } from 'react';
import styles from './list-controls.module.css';

export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles.toolbar}>{children}</div>;
}
