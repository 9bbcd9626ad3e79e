// The pagination below a list: the range of rows, their total and the buttons for previous and next page.
import type { ReactNode, Ref } from 'react';
import { sayNumber } from '../words/format.ts';
import { say } from '../words/say.ts';
import { Button } from './button.tsx';
import styles from './list-controls.module.css';

type PagerProps = {
  /** Number of rows on the pages before this one. */
  before: number;
  shown: number;
  total: number;
  /** True if the list has more than `total` rows. */
  isMore: boolean;
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
};

export function Pager({ before, shown, total, isMore, onPrevious, onNext }: PagerProps) {
  const figures = {
    from: sayNumber(before + 1),
    to: sayNumber(before + shown),
    total: sayNumber(total),
  };
  return (
    <ListFoot
      words={
        isMore ? say('{from}–{to} of more than {total}', figures) : say('{from}–{to} of {total}', figures)
      }
    >
      {(onPrevious || onNext) && (
        <>
          <PageButton onPress={onPrevious}>{say('Previous')}</PageButton>
          <PageButton onPress={onNext}>{say('Next')}</PageButton>
        </>
      )}
    </ListFoot>
  );
}

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

type PageButtonProps = { onPress: (() => void) | undefined; children: ReactNode };

/** The button is not `disabled`, so that a clicked button keeps the focus on the first and last page. */
export function PageButton({ onPress, children }: PageButtonProps) {
  return (
    <Button size="sm" aria-disabled={!onPress} onClick={onPress}>
      {children}
    </Button>
  );
}
