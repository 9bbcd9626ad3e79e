// A grey placeholder for content that is loading. Screen readers ignore it.
import { classes } from './classes.ts';
import styles from './skeleton.module.css';

/** `className` sets the size. The placeholder appears after 150 ms, so that it does not flash on fast responses. */
export function Skeleton({ className }: { className: string | undefined }) {
  return <span className={classes(styles.skeleton, className)} aria-hidden="true" data-loading="" />;
}
