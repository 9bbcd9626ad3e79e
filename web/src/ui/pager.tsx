// The foot of a list: which rows it shows of how many, and the buttons to other pages.
import { sayNumber } from '../words/format.ts';
import { say } from '../words/say.ts';
import { Button } from './button.tsx';
import styles from './list-controls.module.css';

type PagerProps = {
  /** How many rows stand before this page. */
  before: number;
  shown: number;
  total: number;
  /** There are more than `total`. */
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
          {/* Not `disabled`: the one that was pressed keeps the focus on the first and the last page. */}
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
