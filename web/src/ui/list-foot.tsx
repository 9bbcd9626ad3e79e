// The row below a list.
import type { ReactNode, Ref } from 'react';
import styles from './list-controls.module.css';

type ListFootProps = {
  /** Says which rows are shown. */
  words: string;
  wordsRef?: Ref<HTMLSpanElement>;
  /** Buttons that show other rows. */
  children: ReactNode;
};

/** The row below a list. The caller may move the focus to the text through `wordsRef`. */
export function ListFoot({ words, wordsRef, children }: ListFootProps) {
  return (
    <div className={styles.foot}>
      <span ref={wordsRef} role="status" tabIndex={wordsRef ? -1 : undefined}>
        {words}
      </span>
      {children && <div className={styles.pages}>{children}</div>}
    </div>
  );
}
