// The row above a list with its search field and filters, and at its end the acts on the whole list. With `more` filters,
// these and the acts are a second row. A row that is always there does not move the list when counts or acts arrive.
import type { ReactNode } from 'react';
import styles from './list-controls.module.css';

type ToolbarProps = { more?: ReactNode; acts?: ReactNode; children: ReactNode };

export function Toolbar({ more, acts, children }: ToolbarProps) {
  const end = acts && <div className={styles.acts}>{acts}</div>;
  return (
    <div className={styles.toolbar}>
      {children}
      {more ? (
        <div className={styles.more}>
          {more}
          {end}
        </div>
      ) : (
        end
      )}
    </div>
  );
}
