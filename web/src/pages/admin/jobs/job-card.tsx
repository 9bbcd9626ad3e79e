// Shows the progress of a job, and then its result until the user dismisses it.
import type { JobState } from '@portal/contract';
import { cancelImport } from '@portal/contract';
import { CircleAlert, CircleCheck, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { say } from '../../../words/say.ts';
import { sayShare } from '../imports/say-share.ts';
import { RoleGate } from '../role-gate.tsx';
import { CancelJob } from './cancel-job.tsx';
import styles from './job-card.module.css';

type JobCardProps = {
  job: Pick<JobState, 'id' | 'state' | 'rows_done' | 'rows_total'>;
  icon: LucideIcon;
  /** Says what the job does, while it runs. */
  title: string;
  /** Why the job was started. */
  why?: string;
  /** Says how much is done, for example '3 of 9 codes'. */
  words: string;
  outcome: string;
  /** Text below the outcome: when, by whom, and what to do next. */
  note: ReactNode;
  onDismiss: () => void;
};

export function JobCard({ job, ...props }: JobCardProps) {
  return job.state === 'running' ? <Running job={job} {...props} /> : <Result job={job} {...props} />;
}

function Running({ job: { id, rows_done, rows_total }, icon, title, why, words }: JobCardProps) {
  const share = rows_total > 0 ? Math.floor((rows_done / rows_total) * 100) / 100 : 0;
  return (
    <section className={styles.act} aria-label={title}>
      <div className={styles.head}>
        <Icon of={icon} />
        <b role="status">{title}</b>
        {why && <span className={styles.why}>{why}</span>}
        <span className={styles.percent}>{sayShare(share)}</span>
      </div>
      <Progress label={title} done={rows_done} total={rows_total} words={words} />
      <div className={styles.foot}>
        <span aria-hidden="true">{words}</span>
        <span className={styles.why}>{say('You can leave this page. It goes on.')}</span>
        <RoleGate to={cancelImport}>
          <CancelJob
            id={id}
            size="sm"
            label={say('Cancel')}
            failed={say('Failed to cancel the job')}
            onCancelled={focusMain}
          />
        </RoleGate>
      </div>
    </section>
  );
}

function Result({ job: { state }, outcome, note, onDismiss }: JobCardProps) {
  const isDone = state === 'done';
  const dismiss = () => {
    onDismiss();
    focusMain();
  };
  return (
    <section className={styles.act} aria-label={say('Result')} data-is={isDone ? 'done' : 'stopped'}>
      <div className={styles.head}>
        <Icon of={isDone ? CircleCheck : CircleAlert} />
        <b>{outcome}</b>
      </div>
      <div className={styles.foot}>
        <p>{note}</p>
        <Button size="sm" look="ghost" onClick={dismiss}>
          {say('Dismiss')}
        </Button>
      </div>
    </section>
  );
}
