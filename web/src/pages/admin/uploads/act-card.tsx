// Shows the progress of an action on an upload, and then its result until the user dismisses it. An action voids the
// unused codes, or sets their last day.
import type { BatchActState, VoidReason } from '@portal/contract';
import { Ban, CalendarClock } from 'lucide-react';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { JobCard } from '../jobs/job-card.tsx';
import { sayActStopped, sayOutcome, sayRunning, sayTimeOf } from './upload-words.ts';

type ActCardProps = { act: BatchActState | undefined; onDismiss: () => void };

export function ActCard({ act, onDismiss }: ActCardProps) {
  if (!act) return null;
  const { kind, state, rows_done, rows_total, created_at, created_by } = act;
  const isDone = state === 'done';
  const why = kind === 'void' ? sayWhy(act.void_reason) : '';
  const isMistake = kind === 'void' && act.void_reason === 'mistake';
  return (
    <JobCard
      job={act}
      icon={kind === 'void' ? Ban : CalendarClock}
      title={sayRunning(act)}
      why={why}
      words={say('{done} of {total} codes', { done: sayNumber(rows_done), total: sayNumber(rows_total) })}
      outcome={sayOutcome(act)}
      note={
        <>
          {!isDone && `${sayActStopped(act)} `}
          {why && `${why} · `}
          {sayTimeOf(created_at)}, {created_by}
          {isDone && isMistake && `. ${say('Upload the codes again and they count as new.')}`}
        </>
      }
      onDismiss={onDismiss}
    />
  );
}

function sayWhy(reason: VoidReason): string {
  return reason === 'mistake'
    ? say('The upload was a mistake.')
    : say('These codes must not be used any more.');
}
