// A note on a grey or, as a warning, amber background: information, not an error.
import { Info, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';

type NoticeProps = { icon?: LucideIcon; warning?: boolean; className?: string; children: ReactNode };

export function Notice({ icon = Info, warning, className, children }: NoticeProps) {
  const tone = warning ? 'bg-warning-soft text-warning-text' : 'bg-neutral-3 text-ink';
  return (
    <div className={classes('flex gap-2.5 rounded-md px-3.5 py-2.5', tone, className)}>
      <Icon of={icon} size={16} className={classes('mt-0.5 flex-none', !warning && 'text-ink-2')} />
      <p className="min-w-0 wrap-anywhere">{children}</p>
    </div>
  );
}
