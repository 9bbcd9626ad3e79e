// Buttons, and the class names for links that look like buttons.
import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react';
import { classes } from './dom.ts';
import { Icon, Spinner } from './icon.tsx';

export type ButtonLook = {
  /** Use `inverse` and `inverse-outline` on backgrounds in the accent colour. */
  look?: 'accent' | 'primary' | 'danger' | 'outline' | 'ghost' | 'inverse' | 'inverse-outline';
  size?: 'sm' | 'md' | 'lg';
  block?: boolean;
  className?: string;
};

const BASE =
  'inline-flex print:hidden items-center justify-center border font-medium leading-5 no-underline ' +
  'whitespace-nowrap cursor-pointer select-none transition-[background-color,border-color,color,translate] ' +
  'active:[translate:0_1px] aria-busy:cursor-progress aria-busy:pointer-events-none disabled:bg-neutral-3 ' +
  'disabled:border-transparent disabled:text-ink-disabled disabled:cursor-not-allowed disabled:[translate:none]';

const LOOKS = {
  accent: 'border-accent-rim bg-accent text-on-accent hover:border-accent-hover hover:bg-accent-hover',
  primary: 'border-transparent bg-ink text-on-ink hover:bg-ink-hover',
  danger:
    'border-transparent bg-danger text-on-danger hover:bg-[color-mix(in_oklch,var(--danger-solid)_90%,black)]',
  outline:
    'bg-surface border-line-strong text-ink hover:bg-hover hover:border-line-control active:bg-pressed',
  ghost: 'border-transparent text-ink-2 hover:bg-pressed hover:text-ink',
  inverse: 'border-transparent bg-on-accent text-accent hover:bg-on-accent/90',
  'inverse-outline': 'border-current/55 hover:bg-current/12 hover:border-current',
};

const SIZES = {
  // 44 px high for a finger, without a change of the layout.
  sm: 'min-h-8 px-3 gap-1.5 text-sm leading-5 rounded-sm relative pointer-coarse:after:absolute pointer-coarse:after:inset-x-0 pointer-coarse:after:-inset-y-1.75',
  md: 'min-h-10 px-4 gap-2 text-md leading-5 rounded-md',
  lg: 'min-h-12 px-5.5 gap-2 text-base leading-5 rounded-md',
};

export function buttonClass({ look = 'outline', size = 'md', block, className }: ButtonLook): string {
  return classes(BASE, LOOKS[look], SIZES[size], block && 'w-full', className);
}

/** Classes of a button with `aria-disabled`, which keeps the focus but does nothing any more. */
export const OFF_BUTTON =
  'aria-disabled:bg-neutral-3 aria-disabled:border-transparent aria-disabled:text-ink-disabled aria-disabled:cursor-not-allowed aria-disabled:[translate:none]';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  ButtonLook & {
    /** Shows a spinner before the label and ignores clicks. Not `disabled`, so that the button keeps the focus. */
    busy?: boolean;
    ref?: Ref<HTMLButtonElement>;
    /** Shown before the label. The spinner takes its place. */
    icon?: LucideIcon;
  };

export function Button({ look, size, block, className, icon, busy, ...props }: ButtonProps) {
  const { children, onClick, ...rest } = props;
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass({ look, size, block, className })}
      aria-busy={busy || undefined}
      onClick={press}
    >
      {busy ? <Spinner /> : icon && <Icon of={icon} size={16} />}
      {children}
    </button>
  );
}
