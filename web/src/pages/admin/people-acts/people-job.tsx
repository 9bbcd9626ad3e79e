// Shows the job that changes many people: its progress, and then its result. The job's id is in the URL.
import { Users } from 'lucide-react';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { JobCard } from '../jobs/job-card.tsx';
import { useJob } from '../jobs/use-job.ts';
import { sayTimeOf } from '../uploads/upload-words.ts';
import { PEOPLE_ACTS, sayRunning, sayStopped } from './people-words.ts';

export function PeopleJob() {
  const { job, dismiss } = useJob(PEOPLE_ACTS);
  if (!job) return null;
  const { state, rows_done, rows_total, created_at, created_by } = job;
  return (
    <JobCard
      job={job}
      icon={Users}
      title={sayRunning(job)}
      words={say('{done} of {total} people', { done: sayNumber(rows_done), total: sayNumber(rows_total) })}
      outcome={PEOPLE_ACTS.sayOutcome(job)}
      note={
        <>
          {state !== 'done' && `${sayStopped(job)} `}
          {sayTimeOf(created_at)}, {created_by}
        </>
      }
      onDismiss={dismiss}
    />
  );
}
