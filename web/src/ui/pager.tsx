// The pagination below a list: the range of rows, their total and the buttons for previous and next page.
import { sayNumber } from '../words/format.ts';
import { say } from '../words/say.ts';
import { ListFoot } from './list-foot.tsx';
import { PageButton } from './page-button.tsx';

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
