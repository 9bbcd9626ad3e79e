// A progress bar. Its width is an SVG attribute, because the content security policy allows no inline style.

import { useId } from 'react';
import styles from './progress.module.css';
import shareBar from './share-bar.module.css';

/** The share of the bar that is filled while the total is unknown. */
const UNKNOWN_SHARE = 0.18;

type ProgressProps = { label: string; done: number; total: number; words: string };

export function Progress({ label, done, total, words }: ProgressProps) {
  const share = total > 0 ? Math.min(done / total, 1) : UNKNOWN_SHARE;
  return (
    <div
      className={styles.progress}
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
        <rect width={`${share * 100}%`} height="100%" />
      </svg>
    </div>
  );
}

// A bar that shows how much of a total is left. Its width is an SVG attribute, because the content security policy
// allows no inline style.

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
      <svg className={styles.meter} data-tone={tone} aria-hidden="true" focusable="false">
        <rect width={`${max > 0 ? (value / max) * 100 : 0}%`} height="100%" />
      </svg>
    </div>
  );
}

// A bar of several shares of a whole. Widths are SVG attributes, because the content security policy allows no inline
// style.

/**
 * Minimum width of a share that is not empty, as a part of the whole. Even on a phone, such a share is then wider than
 * the gap of 2 px.
 */
const LEAST = 0.015;

type Share = { tone: 'free' | 'held' | 'revoked' | 'void' | 'expired'; count: number };
type ShareBarProps = {
  /** The counts of all shares as text, for screen readers. */
  label: string;
  shares: readonly Share[];
};

export function ShareBar({ label, shares }: ShareBarProps) {
  const hatch = useId();
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  const shown = shares
    .filter(({ count }) => count > 0)
    .map(({ tone, count }) => ({ tone, width: Math.max(count / total, LEAST) }));
  const whole = shown.reduce((sum, { width }) => sum + width, 0);
  let start = 0;
  return (
    <svg className={shareBar.bar} role="img" aria-label={label}>
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
            <rect data-tone={tone} {...place} />
            {tone === 'void' && <rect {...place} fill={`url(#${hatch})`} />}
            {x !== '0%' && <rect className="fill-surface" x={x} width="2" height="100%" />}
          </g>
        );
      })}
    </svg>
  );
}
