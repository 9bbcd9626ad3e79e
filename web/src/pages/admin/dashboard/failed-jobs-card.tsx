// Shows background jobs that failed after all retries, with a button that retries them. Renders nothing if no job
// failed.
import type { FailedJobs } from '@portal/contract';
import { listFailedJobs, retryFailedJobs } from '@portal/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { queryOf } from '../../../queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { Icon } from '../../../ui/icon.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { sayDate } from '../../../words/format.ts';
import { say, sayCount, sayServed } from '../../../words/say.ts';
import { tellRefusal } from '../refusal-toast.ts';
import styles from './failed-jobs-card.module.css';

export function FailedJobsCard() {
  const { data } = useQuery(queryOf(listFailedJobs));
  if (!data || data.length === 0) return null;
  return (
    <Card
      title={say('Failed jobs')}
      sub={say('The portal tried these again and again, and stopped.')}
      className={styles.card}
    >
      <ul className={styles.list}>
        {data.map((jobs) => (
          <FailedRow key={`${jobs.kind} ${jobs.reason}`} jobs={jobs} />
        ))}
      </ul>
    </Card>
  );
}

function FailedRow({ jobs }: { jobs: FailedJobs }) {
  const [busy, setBusy] = useState(false);
  const queries = useQueryClient();
  const { kind, reason, since } = jobs;
  const retry = async () => {
    setBusy(true);
    try {
      await call(retryFailedJobs, { body: { kind, reason } });
      // After the retry, the list is loaded again, which removes this row and the pressed button. The button has the
      // focus, so the focus first moves to the main content.
      focusMain();
      await queries.invalidateQueries(queryOf(listFailedJobs));
    } catch (error) {
      tellRefusal(error, say('Failed to try again'));
    } finally {
      setBusy(false);
    }
  };
  const what = sayWhat(jobs);
  return (
    <li className={styles.row}>
      <Icon of={CircleAlert} size={16} />
      <span className={styles.what}>{what}</span>
      <span className={styles.reason} dir="auto">
        {sayServed(reason)}
      </span>
      <span className={styles.since}>{say('since {time}', { time: saySince(new Date(since)) })}</span>
      <Button
        size="sm"
        busy={busy}
        aria-label={say('Try again: {what}', { what })}
        onClick={() => void retry()}
      >
        {!busy && <Icon of={RefreshCw} size={16} />}
        {busy ? say('Trying...') : say('Try again')}
      </Button>
    </li>
  );
}

function sayWhat({ kind, about, count }: FailedJobs): string {
  if (kind === 'import' && about) return say('Upload of {file}', { file: isolate(about) });
  if (kind === 'stock-mail' && about) return say('Stock mail to {email}', { email: isolate(about) });
  if (kind === 'notice-mail' && about) return say('Notice to {email}', { email: isolate(about) });
  if (kind === 'team-mail' && about) return say('Invitation of {email}', { email: isolate(about) });
  if (kind === 'team-mail')
    return sayCount(count, { one: '{count} invitation', other: '{count} invitations' });
  if (kind === 'sign-in-mail')
    return sayCount(count, { one: '{count} sign-in mail', other: '{count} sign-in mails' });
  if (kind === 'stock-mail')
    return sayCount(count, { one: '{count} stock mail', other: '{count} stock mails' });
  if (kind === 'notice-mail') return sayCount(count, { one: '{count} notice', other: '{count} notices' });
  if (kind === 'code-mail' && about) return say('Mail about a code to {email}', { email: isolate(about) });
  if (kind === 'code-mail')
    return sayCount(count, { one: '{count} mail about a code', other: '{count} mails about codes' });
  if (kind === 'ready-mail' && about) return say('Mail about benefits to {email}', { email: isolate(about) });
  if (kind === 'ready-mail')
    return sayCount(count, { one: '{count} mail about benefits', other: '{count} mails about benefits' });
  if (kind === 'import') return sayCount(count, { one: '{count} upload', other: '{count} uploads' });
  if (kind === 'add-up-tally') return say('Adding up the figures');
  if (kind === 'expire-codes') return say('Marking codes whose last day is over');
  if (kind === 'check-stock') return say('Looking for products that run out of codes');
  if (kind === 'analyse-tables') return say('Updating the statistics of the database');
  if (kind === 'adopt') return say('Taking over what the version before left behind');
  if (kind === 'purge') return say('Deleting expired rows');
  return kind;
}

function saySince(since: Date): string {
  const isToday = since.toDateString() === new Date().toDateString();
  const time = sayDate(since, { timeStyle: 'short' });
  return isToday ? say('today, {time}', { time }) : sayDate(since, { dateStyle: 'medium' });
}
