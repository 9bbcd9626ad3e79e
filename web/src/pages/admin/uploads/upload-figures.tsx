// Card that shows how many codes of an upload are in each state: as a bar with five parts and as five numbers.
import type { BatchRecord, CouponState } from '@portal/contract';
import { Card } from '../../../ui/card.tsx';
import { ShareBar } from '../../../ui/share-bar.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say, sayCount } from '../../../words/say.ts';
import { sayCodes, sayLastDay } from './upload-words.ts';
import styles from './uploads.module.css';

type Figure = { state: CouponState; label: string; meaning: string };

const listFigures = (): Figure[] => [
  { state: 'free', label: say('Available'), meaning: say('in the pool') },
  { state: 'held', label: say('Assigned'), meaning: say('stay with their holders') },
  { state: 'revoked', label: say('Revoked'), meaning: say('taken back from one person') },
  { state: 'void', label: say('Void'), meaning: say('will not be handed out') },
  { state: 'expired', label: say('Expired'), meaning: say('last day has come') },
];

/** The order of the states in the bar. Codes that were handed out, `held` and `revoked`, come first. */
const SHARES = ['held', 'revoked', 'free', 'void', 'expired'] as const;

export function UploadFigures({ upload }: { upload: BatchRecord }) {
  const figures = listFigures();
  const words = say('{free} available, {held} assigned, {revoked} revoked, {void} void, {expired} expired', {
    free: sayNumber(upload.free),
    held: sayNumber(upload.held),
    revoked: sayNumber(upload.revoked),
    void: sayNumber(upload.void),
    expired: sayNumber(upload.expired),
  });
  return (
    <Card title={sayCodes(upload.codes)} sub={sayLastDay(upload)}>
      {upload.moved > 0 && <p className={styles.moved}>{sayMoved(upload.moved)}</p>}
      <div className={styles.share}>
        <ShareBar label={words} shares={SHARES.map((state) => ({ tone: state, count: upload[state] }))} />
      </div>
      <dl className={styles.figures}>
        {figures.map(({ state, label, meaning }) => (
          <div key={state}>
            <dt data-tone={state}>{label}</dt>
            <dd>{sayNumber(upload[state])}</dd>
            <dd className={styles.meaning}>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function sayMoved(count: number): string {
  return sayCount(count, {
    one: '{count} more code was uploaded again and belongs to the newer upload.',
    other: '{count} more codes were uploaded again and belong to the newer upload.',
  });
}
