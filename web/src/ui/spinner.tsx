// The mark of work under way, as tall as the text beside it.
import styles from './spinner.module.css';

export function Spinner() {
  return <span className={styles.spinner} data-turns="" aria-hidden="true" />;
}
