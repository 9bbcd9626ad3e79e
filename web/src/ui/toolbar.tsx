// The row above a list with its search field and filters.
import type { ReactNode } from 'react';
import styles from './list-controls.module.css';

export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles.toolbar}>{children}</div>;
}
