// Takes the place of a list's toolbar while people are selected: how many, a button that selects all, and the acts.
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say, sayCount } from '../../../words/say.ts';
import type { ShownPage } from '../lists/slice-list.ts';
import styles from './selection-bar.module.css';
import type { PeopleSelection } from './use-selection.ts';

type SelectionBarProps = {
  selection: PeopleSelection;
  page: Pick<ShownPage<unknown>, 'total' | 'isMore'>;
  /** The filters of the list in words, because the bar covers them; '' without a filter. */
  filter?: string;
  /** The buttons of the acts. */
  children: ReactNode;
};

export function SelectionBar({ selection, page, ...props }: SelectionBarProps) {
  const { filter = '', children } = props;
  const { count, isAll, selectAll, clear } = selection;
  const all = sayNumber(page.total);
  return (
    <section className={styles.bar} aria-label={say('Selected people')}>
      <span className={styles.count} role="status">
        {sayCount(count, { one: '{count} selected', other: '{count} selected' })}
      </span>
      {!isAll && (page.isMore || page.total > count) && (
        <>
          <span className={styles.line} aria-hidden="true" />
          <button type="button" className={styles.all} onClick={selectAll}>
            {page.isMore
              ? say('Select all, more than {count}', { count: all })
              : say('Select all {count}', { count: all })}
          </button>
        </>
      )}
      {filter && <span className={styles.filter}>{say('Filter: {words}', { words: filter })}</span>}
      <div className={styles.acts}>
        {children}
        <Button size="sm" look="ghost" onClick={clear}>
          {say('Clear')}
        </Button>
      </div>
    </section>
  );
}
