// List of notes about the file for an upload.
import type { ReactNode } from 'react';
import styles from './imports.module.css';

export function Notes({ children }: { children: ReactNode }) {
  return <ul className={styles.notes}>{children}</ul>;
}
