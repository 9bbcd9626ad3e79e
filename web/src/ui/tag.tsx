// A short word about the state of a thing.
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

type TagProps = { id?: string; tone?: 'neutral' | 'plain-accent'; children: ReactNode };

const TONES = { neutral: 'bg-neutral-3 text-ink-2 px-2', 'plain-accent': 'text-accent-text' };

export function Tag({ id, tone = 'neutral', children }: TagProps) {
  return (
    <span
      id={id}
      className={classes(
        'inline-flex h-5.5 items-center gap-1.25 rounded-xs text-xs leading-none font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
