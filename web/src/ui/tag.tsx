// A short coloured label, for example for the status of a row.
import type { ReactNode } from 'react';
import { classes } from './dom.ts';
import styles from './state-mark.module.css';

const TONES = {
  neutral: 'bg-neutral-3 text-ink-2 px-2',
  'plain-accent': 'text-accent-text',
  accent: 'bg-accent-soft text-accent-text px-2',
  warning: 'bg-warning-soft text-warning-text px-2',
  danger: 'bg-danger-soft text-danger-text px-2',
};

export type TagTone = keyof typeof TONES;
type TagProps = { tone?: TagTone | undefined; children: ReactNode };

export function Tag({ tone = 'neutral', children }: TagProps) {
  return (
    <span
      className={classes(
        'inline-flex h-5.5 items-center gap-1.25 rounded-xs text-xs leading-none font-medium whitespace-nowrap forced-colors:outline',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

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
