// Icons at the sizes and weight of the design; decorative, words stand beside them.
import type { LucideIcon } from 'lucide-react';
import { classes } from './classes.ts';

type IconProps = { of: LucideIcon; size?: 16 | 18 | 24; className?: string };

export function Icon({ of: Drawing, size = 18, className }: IconProps) {
  return (
    <Drawing
      className={classes('block', className)}
      size={size}
      strokeWidth={size === 24 ? 1.5 : 1.75}
      aria-hidden="true"
      focusable="false"
    />
  );
}
