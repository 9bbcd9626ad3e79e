// A bar that shows how much of a total is left. Its width is an SVG attribute, because the content security policy
// allows no inline style.
import styles from './progress.module.css';

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
