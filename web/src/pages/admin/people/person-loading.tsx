// Shown while the record of a person loads: the buttons and cards of the page, with placeholders for their contents.
import { Card } from '../../../ui/card.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { AdminFrame } from '../admin-frame.tsx';
import styles from './person-page.module.css';
import { RowsPlace } from './rows-place.tsx';

export function PersonLoading({ back }: { back: { href: string; label: string } }) {
  return (
    <AdminFrame
      title={say('Person')}
      back={back}
      lines={<Skeleton className={styles.factsPlace} />}
      aside={<Skeleton className={styles.actsPlace} />}
    >
      <Card title={say('Access')}>
        <RowsPlace count={3} />
      </Card>
      <LaterCards />
    </AdminFrame>
  );
}

/** The cards below the card `Access`, with placeholders. */
export function LaterCards() {
  return (
    <>
      <Card title={say('Codes')} className={admin.seven}>
        <RowsPlace count={3} />
      </Card>
      <Card title={say('Mails')} className={admin.five}>
        <RowsPlace count={3} />
      </Card>
      <Card title={say('Timeline')}>
        <RowsPlace count={3} />
      </Card>
    </>
  );
}
