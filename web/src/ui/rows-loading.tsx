// Shown instead of rows while the first rows of a list load.
import type { ReactNode } from 'react';
import styles from './data-table.module.css';

export function RowsLoading({ children }: { children: ReactNode }) {
  return (
    <div className={styles.empty} data-no-rows="">
      {children}
    </div>
  );
}
