// Three bars: one shows progress, one what is left of a total, one the parts of a whole. Widths are SVG attributes, because
// the content security policy allows no inline style.
import { useId } from 'react';
import { classes } from './dom.ts';

const BAR =
  'block w-full rounded-full overflow-hidden forced-colors:border forced-colors:border-[CanvasText]';
const FORCED_FILL = 'forced-colors:fill-[Highlight] forced-colors:forced-color-adjust-none';

/** The share of the bar that is filled while the total is unknown. */
const UNKNOWN_SHARE = 0.18;

type ProgressProps = { label: string; done: number; total: number; words: string };

export function Progress({ label, done, total, words }: ProgressProps) {
  const share = total > 0 ? Math.min(done / total, 1) : UNKNOWN_SHARE;
  return (
    <div
      className={classes(BAR, 'h-2 bg-line')}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total || undefined}
      aria-valuenow={total ? done : undefined}
      aria-valuetext={words}
    >
      <svg
        className="size-full block [mask:linear-gradient(90deg,_#000_calc(100%_-_3px),_#0000_0)_0_0_/_9px_100%]"
        aria-hidden="true"
        focusable="false"
      >
        <rect
          className={classes(
            'fill-accent-graphic [transition:width_var(--duration-base)_linear]',
            FORCED_FILL,
          )}
          width={`${share * 100}%`}
          height="100%"
        />
      </svg>
    </div>
  );
}

type MeterProps = { label: string; value: number; max: number; words: string; tone?: 'low' | 'none' };

export function Meter({ label, value, max, words, tone }: MeterProps) {
  // Uses the role `meter` instead of the element <meter>, which cannot be styled equally in all browsers.
  const meter = {
    role: 'meter',
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': max,
    'aria-valuenow': value,
    'aria-valuetext': words,
  };
  return (
    <div {...meter}>
      <svg
        className={classes(
          BAR,
          'h-1.5',
          tone === 'none'
            ? '[background:repeating-linear-gradient(115deg,var(--n-6)_0_2px,var(--n-4)_2px_6px)]'
            : 'bg-line',
        )}
        aria-hidden="true"
        focusable="false"
      >
        <rect
          className={classes(tone === 'low' ? 'fill-warning' : 'fill-accent-graphic', FORCED_FILL)}
          width={`${max > 0 ? (value / max) * 100 : 0}%`}
          height="100%"
        />
      </svg>
    </div>
  );
}

/** Minimum width of a share that is not 0, relative to the bar. On a phone, it is more than the gap of 2 px. */
const LEAST = 0.015;

const SHARE_FILLS = {
  free: 'fill-line-strong',
  held: 'fill-accent-graphic',
  revoked: 'fill-danger',
  void: 'fill-line',
  expired: 'fill-line-control',
};

type ShareBarProps = { label: string; shares: readonly { tone: keyof typeof SHARE_FILLS; count: number }[] };

/** `label` has the counts of all shares, for screen readers. */
export function ShareBar({ label, shares }: ShareBarProps) {
  const hatch = useId();
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  const shown = shares
    .filter(({ count }) => count > 0)
    .map(({ tone, count }) => ({ tone, width: Math.max(count / total, LEAST) }));
  const whole = shown.reduce((sum, { width }) => sum + width, 0);
  let start = 0;
  return (
    <svg className={classes(BAR, 'h-1.5 bg-line')} role="img" aria-label={label}>
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(25)">
          <rect className="[fill:var(--n-6)]" width="2" height="5" />
        </pattern>
      </defs>
      {shown.map(({ tone, width }) => {
        const x = `${(start / whole) * 100}%`;
        start += width;
        const place = { x, width: `${(width / whole) * 100}%`, height: '100%' };
        return (
          <g key={tone}>
            <rect
              className={classes(SHARE_FILLS[tone], 'forced-colors:forced-color-adjust-none')}
              {...place}
            />
            {tone === 'void' && <rect {...place} fill={`url(#${hatch})`} />}
            {x !== '0%' && <rect className="fill-surface" x={x} width="2" height="100%" />}
          </g>
        );
      })}
    </svg>
  );
}
