// A narrow card with an icon and one message.
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';

type MessageCardProps = {
  icon: LucideIcon;
  tone?: 'neutral' | 'warning';
  heading: string;
  children: ReactNode;
};

export function MessageCard({ icon, tone = 'neutral', heading, children }: MessageCardProps) {
  const art = tone === 'warning' ? 'bg-warning-soft text-warning-text' : 'bg-neutral-3 text-ink-2';
  return (
    <section className="grid w-full max-w-110 justify-items-start gap-2 rounded-lg border border-line bg-surface px-6 py-7 text-md text-ink-2 md:px-8 md:py-9">
      <span className={classes('mb-3 grid size-12 place-items-center rounded-lg', art)}>
        <Icon of={icon} size={24} />
      </span>
      <h1 className="text-xl text-ink">{heading}</h1>
      {children}
    </section>
  );
}
