// Shows at what time the data of a list was loaded, with a button that loads it again.
import type { UseQueryResult } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { type Changed, refreshLists } from '../changes.ts';
import styles from './as-of.module.css';

export type AsOfProps = {
  query: Pick<UseQueryResult, 'isError' | 'isFetching' | 'dataUpdatedAt'>;
  /** The lists that the button 'Refresh' loads again. The button also loads the statistics of the dashboard again. */
  of: readonly Changed[];
};

/** Shows nothing while the list loads for the first time, and nothing after an error. */
export function AsOf({ query: { isError, isFetching, dataUpdatedAt }, of }: AsOfProps) {
  const [pressed, setPressed] = useState(false);
  const time = sayDate(new Date(dataUpdatedAt), { timeStyle: 'short' });
  const words = say('As of {time}', { time });
  if (isError) return null;
  const refresh = () => {
    setPressed(true);
    refreshLists(...of);
  };
  return (
    <div className={styles.asOf} data-loading={dataUpdatedAt === 0 ? '' : undefined}>
      <span>{words}</span>
      <Button size="sm" look="ghost" busy={isFetching} onClick={refresh}>
        {!isFetching && <Icon of={RefreshCw} size={16} />}
        {say('Refresh')}
      </Button>
      <span className="sr-only" role="status">
        {pressed && !isFetching && words}
      </span>
    </div>
  );
}
