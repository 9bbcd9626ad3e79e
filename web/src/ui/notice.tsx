// A note on a grey background: information, not an error.
import { Info, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';

type NoticeProps = { icon?: LucideIcon; className?: string; children: ReactNode };

export function Notice({ icon = Info, className, children }: NoticeProps) {
  return (
    <div className={classes('flex gap-2.5 rounded-md bg-neutral-3 px-3.5 py-2.5 text-ink', className)}>
      <Icon of={icon} size={16} className="mt-0.5 flex-none text-ink-2" />
      <p className="min-w-0 wrap-anywhere">{children}</p>
    </div>
  );
}
