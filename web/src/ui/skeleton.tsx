// Grey shapes in the place of what is still loading; decorative.
import { classes } from './classes.ts';
import styles from './skeleton.module.css';

/** A shape; its size is given by class names. It shows after 150 ms, so that fast answers do not flash. */
export function Skeleton({ className }: { className: string | undefined }) {
  return <span className={classes(styles.skeleton, className)} aria-hidden="true" data-loading="" />;
}
