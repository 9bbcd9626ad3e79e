// A bar that says how far work has come. Drawn by attributes, because the content policy allows no inline style.
import styles from './progress.module.css';

/** Drawn while the length of the work is not known. */
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
