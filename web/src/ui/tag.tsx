// A short coloured label, for example for the status of a row.
import type { ReactNode } from 'react';
import { classes } from './dom.ts';

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

/** The look of the mark: a ring, a dot (accented, dark or faint), or a ring with a line through it. */
export type StateLook = keyof typeof MARKS;

const FORCED_DOT = 'forced-colors:before:bg-[CanvasText]';
const MARKS = {
  ring: 'before:border-ink-3',
  accent: `text-ink before:border-accent-graphic before:bg-accent-graphic ${FORCED_DOT}`,
  ink: `text-ink before:border-ink before:bg-ink ${FORCED_DOT}`,
  faint: `text-ink-3 before:border-(--n-7) before:bg-(--n-5) forced-colors:before:opacity-50 ${FORCED_DOT}`,
  crossed:
    'text-ink before:border-danger-text before:bg-[linear-gradient(45deg,transparent_42%,var(--danger-text)_42%_58%,transparent_58%)]',
};

/** The state of a thing in a list: a mark and a word. */
export function StateMark({ look, children }: { look: StateLook; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1.75 whitespace-nowrap before:flex-none before:size-2 before:border-[1.5px] before:rounded-full',
        MARKS[look],
      )}
    >
      {children}
    </span>
  );
}
