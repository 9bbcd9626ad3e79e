// A bar of several shares of a whole. Widths are SVG attributes, because the content security policy allows no inline
// style.
import { useId } from 'react';
import styles from './share-bar.module.css';

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
    <svg className={styles.bar} role="img" aria-label={label}>
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(25)">
          <rect className={styles.hatch} width="2" height="5" />
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
            {x !== '0%' && <rect className={styles.gap} x={x} width="2" height="100%" />}
          </g>
        );
      })}
    </svg>
  );
}
