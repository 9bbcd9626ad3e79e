// The pagination below a list: the range of rows, their total and the buttons for previous and next page.
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
    <div className={styles.foot}>
      <span role="status">
        {isMore ? say('{from}–{to} of more than {total}', figures) : say('{from}–{to} of {total}', figures)}
      </span>
      {(onPrevious || onNext) && (
        <div className={styles.pages}>
          {/* The buttons are not `disabled`, so that a clicked button keeps the focus on the first and last page. */}
          <Button size="sm" aria-disabled={!onPrevious} onClick={onPrevious}>
            {say('Previous')}
          </Button>
          <Button size="sm" aria-disabled={!onNext} onClick={onNext}>
            {say('Next')}
          </Button>
        </div>
      )}
    </div>
  );
}
