// The row above a list with its search field and filters, and at its end the acts on the whole list.
import type { ReactNode } from 'react';
import styles from './list-controls.module.css';

export function Toolbar({ acts, children }: { acts?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.toolbar}>
      {children}
      {acts && <div className={styles.acts}>{acts}</div>}
    </div>
  );
}
