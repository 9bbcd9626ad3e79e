// A note on a grey or, as a warning, amber background: information, not an error.
import { CircleAlert, Info, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './dom.ts';
import { Icon, Spinner } from './icon.tsx';

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

export function Problem({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="flex items-start gap-1.5 text-sm text-danger-text">
      <Icon of={CircleAlert} size={16} className="mt-0.5" />
      {children}
    </p>
  );
}

/** Shows why the user must wait. While an element has `data-loading`, main.css hides the footer. */
export function StatusLine({ children }: { children: ReactNode }) {
  return (
    <p
      className="inline-flex animate-late items-center gap-2.5 text-md text-ink-2"
      role="status"
      data-loading=""
    >
      <Spinner />
      {children}
    </p>
  );
}

type MessageCardProps = { icon: LucideIcon; tone?: 'warning'; heading: string; children: ReactNode };

export function MessageCard({ icon, tone, heading, children }: MessageCardProps) {
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
