// Shows the job that takes back an upload of people or of products: its progress, and then its result. The job's id is
// in the URL.
import type { JobState } from '@portal/contract';
import { Undo2 } from 'lucide-react';
import { useEffect } from 'react';
import { sayNumber } from '../../../words/format.ts';
import { say, sayCount, sayServed } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { JobCard } from '../jobs/job-card.tsx';
import { useJob } from '../jobs/use-job.ts';
import { sayTimeOf } from '../uploads/upload-words.ts';

type UndoState = Extract<JobState, { kind: 'undo' }>;

const UNDO = {
  pick: (state: JobState): UndoState | undefined => (state.kind === 'undo' ? state : undefined),
  sayOutcome: ({ results }: UndoState) => {
    const { people = 0, products = 0 } = results ?? {};
    if (products > 0)
      return sayCount(products, {
        one: '{count} product was archived.',
        other: '{count} products were archived.',
      });
    return sayCount(people, { one: '{count} person lost access.', other: '{count} people lost access.' });
  },
  sayStopped: ({ state, reason, rows_done, rows_total }: UndoState) => {
    const done = { done: sayNumber(rows_done), total: sayNumber(rows_total) };
    return state === 'cancelled'
      ? say('Cancelled after {done} of {total}.', done)
      : `${say('Failed after {done} of {total}.', done)} ${sayServed(reason ?? '')}`;
  },
  changes: 'users',
} as const;

export function UndoJob() {
  const { job, dismiss } = useJob(UNDO);
  const hasEnded = job && job.state !== 'running';
  useEffect(() => {
    // Not while the job runs: its own state is among these data, and would be loaded without a pause.
    if (hasEnded) refreshLists('products', 'imports');
  }, [hasEnded]);
  if (!job) return null;
  const { state, rows_done, rows_total, created_at, created_by } = job;
  return (
    <JobCard
      job={job}
      icon={Undo2}
      title={say('The upload is being taken back.')}
      words={say('{done} of {total}', { done: sayNumber(rows_done), total: sayNumber(rows_total) })}
      outcome={UNDO.sayOutcome(job)}
      note={
        <>
          {state !== 'done' && `${UNDO.sayStopped(job)} `}
          {sayTimeOf(created_at)}, {created_by}
        </>
      }
      onDismiss={dismiss}
    />
  );
}
