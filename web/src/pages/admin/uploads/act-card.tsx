// Shows the progress of an action on an upload, and then its result until the user dismisses it. An action voids the
// unused codes, or sets their last day.
import type { BatchActState, VoidReason } from '@portal/contract';
import { Ban, CalendarClock, CircleAlert, CircleCheck } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { sayShare } from '../imports/say-share.ts';
import { sayOutcome, sayRunning, sayStopped, sayTimeOf } from './upload-words.ts';
import styles from './uploads.module.css';

type ActCardProps = { act: BatchActState | undefined; onDismiss: () => void };

export function ActCard({ act, onDismiss }: ActCardProps) {
  if (!act) return null;
  return act.state === 'running' ? <Running act={act} /> : <Result act={act} onDismiss={onDismiss} />;
}

function Running({ act }: { act: BatchActState }) {
  const { kind, rows_done, rows_total } = act;
  const words = say('{done} of {total} codes', { done: sayNumber(rows_done), total: sayNumber(rows_total) });
  const share = rows_total > 0 ? Math.floor((rows_done / rows_total) * 100) / 100 : 0;
  return (
    <section className={styles.act} aria-label={sayRunning(act)}>
      <div className={styles.actHead}>
        <Icon of={kind === 'void' ? Ban : CalendarClock} />
        <b role="status">{sayRunning(act)}</b>
        {kind === 'void' && <span className={styles.why}>{sayWhy(act.void_reason)}</span>}
        <span className={styles.percent}>{sayShare(share)}</span>
      </div>
      <Progress label={sayRunning(act)} done={rows_done} total={rows_total} words={words} />
      <div className={styles.actFoot}>
        <span aria-hidden="true">{words}</span>
        <span className={styles.why}>{say('You can leave this page. It goes on.')}</span>
      </div>
    </section>
  );
}

function Result({ act, onDismiss }: { act: BatchActState; onDismiss: () => void }) {
  const { kind, state, created_at, created_by } = act;
  const isDone = state === 'done';
  const dismiss = () => {
    onDismiss();
    focusMain();
  };
  const isMistake = kind === 'void' && act.void_reason === 'mistake';
  return (
    <section className={styles.act} aria-label={say('Result')} data-is={isDone ? 'done' : 'stopped'}>
      <div className={styles.actHead}>
        <Icon of={isDone ? CircleCheck : CircleAlert} />
        <b>{sayOutcome(act)}</b>
      </div>
      <div className={styles.actFoot}>
        <p>
          {!isDone && `${sayStopped(act)} `}
          {kind === 'void' && `${sayWhy(act.void_reason)} · `}
          {sayTimeOf(created_at)}, {created_by}
          {isDone && isMistake && `. ${say('Upload the codes again and they count as new.')}`}
        </p>
        <Button size="sm" look="ghost" onClick={dismiss}>
          {say('Dismiss')}
        </Button>
      </div>
    </section>
  );
}

function sayWhy(reason: VoidReason): string {
  return reason === 'mistake'
    ? say('The upload was a mistake.')
    : say('These codes must not be used any more.');
}
