// Placeholders for the rows of a card that are loading.
import { Skeleton } from '../../../ui/skeleton.tsx';
import { say } from '../../../words/say.ts';
import styles from './person-page.module.css';

export function RowsPlace({ count }: { count: number }) {
  return (
    <>
      <p className="sr-only" role="status">
        {say('Loading...')}
      </p>
      <div aria-hidden="true" className={styles.places}>
        {Array.from({ length: count }, (_row, index) => (
          <div key={index}>
            <Skeleton className={styles.place} />
            <Skeleton className={styles.place} />
          </div>
        ))}
      </div>
    </>
  );
}
