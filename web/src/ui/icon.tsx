// Icons in the design's sizes and stroke widths. Screen readers skip icons, so each needs text next to it or a label.
import type { LucideIcon } from 'lucide-react';
import { classes } from './dom.ts';

type IconProps = { of: LucideIcon; size?: 13 | 16 | 18 | 24; strong?: boolean; className?: string };

export function Icon({ of: Drawing, size = 18, strong, className }: IconProps) {
  return (
    <Drawing
      className={classes('block', className)}
      size={size}
      strokeWidth={strong ? 2.25 : size === 24 ? 1.5 : 1.75}
      aria-hidden="true"
      focusable="false"
    />
  );
}

/** As tall as the text next to it. Its style is in main.css: a CSS module would add one more file to each page. */
export function Spinner() {
  return <span className="spinner" data-turns="" aria-hidden="true" />;
}

/**
 * A grey placeholder for content that is loading. `className` sets the size. It appears after 150 ms, so that it does
 * not flash on fast responses.
 */
export function Skeleton({ className }: { className: string | undefined }) {
  return (
    <span
      className={classes(
        'block rounded-xs animate-sheen [background:linear-gradient(100deg,var(--skeleton)_40%,var(--skeleton-glow)_50%,var(--skeleton)_60%)_0_0/300%_100%] motion-reduce:[background:var(--skeleton)]',
        className,
      )}
      aria-hidden="true"
      data-loading=""
    />
  );
}
