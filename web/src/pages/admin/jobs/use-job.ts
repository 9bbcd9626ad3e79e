// Polls a job of the server: an act on an upload, or on many people.
import type { JobState } from '@portal/contract';
import { getImport } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isNotFound } from '../../../api-error.ts';
import { queryOf } from '../../../queries.ts';
import { type Changed, refreshLists } from '../changes.ts';
import { tellError, tellSuccess } from '../refusal-toast.ts';
import { useMay } from '../role-gate.tsx';
import { awaitEnd, takeAwaited, useJobAddress } from './job-address.ts';

const POLL_MS = 1000;

type Kind<Job> = {
  /** Returns the job if it is of this kind. */
  pick: (state: JobState) => Job | undefined;
  sayOutcome: (job: Job) => string;
  /** Says how far a job came that failed or was cancelled. */
  sayStopped: (job: Job) => string;
  /** What the job changes. */
  changes: Changed;
};

/**
 * Returns the job whose id is in the URL, and polls it until it ends. `running` is the id of the job that the server
 * reports as running for the thing on the page, or null. Members whose role may not read the job see no progress.
 */
export function useJob<Job extends JobState>(kind: Kind<Job>, running: string | null = null) {
  const canFollow = useMay()(getImport);
  const address = useJobAddress();
  const id = canFollow ? address.id : null;
  const { data, error } = useQuery({
    ...queryOf(getImport, { id: id ?? '' }),
    enabled: id !== null,
    refetchInterval: ({ state }) =>
      isNotFound(state.error) || (state.data && state.data.state !== 'running') ? false : POLL_MS,
  });
  const job = data && kind.pick(data);
  const isRunning = job ? job.state === 'running' : id !== null && !data && !isNotFound(error);

  useEffect(() => {
    if (canFollow && running !== null && running !== id && !isRunning) address.show(running);
  });
  useEffect(() => {
    if (!job) return;
    if (job.state === 'running') awaitEnd(job.id);
    else if (takeAwaited(job.id)) {
      if (job.state === 'done') tellSuccess(kind.sayOutcome(job));
      else tellError(kind.sayStopped(job));
    }
    // Each new state of the job means that rows have changed, so the page loads its data again.
    refreshLists(kind.changes);
  }, [job]);
  return { job, isRunning, follow: address.follow, dismiss: () => address.show(null) };
}
