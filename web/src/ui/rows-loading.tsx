// Stands in place of a table's rows while the first ones load.
import type { ReactNode } from 'react';
import styles from './data-table.module.css';

export function RowsLoading({ children }: { children: ReactNode }) {
  return <div className={styles.empty}>{children}</div>;
}
