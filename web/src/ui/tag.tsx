// A short coloured label, for example for the status of a row.
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

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
