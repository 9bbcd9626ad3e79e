// Icons in the design's sizes and stroke widths. Screen readers skip icons, so each needs text next to it or a label.
import type { LucideIcon } from 'lucide-react';
import { classes } from './classes.ts';

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
