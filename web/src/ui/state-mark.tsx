import type { ReactNode } from 'react';
import styles from './state-mark.module.css';

/** How the mark is drawn: a ring, a dot (accented, dark or faint), or a ring with a line through it. */
export type StateLook = 'ring' | 'accent' | 'ink' | 'faint' | 'crossed';

/** The state of a thing in a list: a mark and a word. */
export function StateMark({ look, children }: { look: StateLook; children: ReactNode }) {
  return (
    <span className={styles.state} data-look={look}>
      {children}
    </span>
  );
}
