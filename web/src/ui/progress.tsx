// A progress bar. Its width is an SVG attribute, because the content security policy allows no inline style.
import styles from './progress.module.css';

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
      <svg className={styles.teeth} aria-hidden="true" focusable="false">
        <rect width={`${share * 100}%`} height="100%" />
      </svg>
    </div>
  );
}
