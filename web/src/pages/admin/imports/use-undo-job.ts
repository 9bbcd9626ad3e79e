// Polls the job that takes back an upload of people or of products.
import type { CsvKind, JobState } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getImport } from '../../../admin-calls.ts';
import { queryOf } from '../../../queries.ts';
import { sayCount, sayServed } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellError, tellSuccess } from '../refusal-toast.ts';

const POLL_MS = 1000;

type UndoState = Extract<JobState, { kind: 'undo' }>;

/** Returns `follow`, which polls the job with this id, and the job while it runs. Its end is shown as a toast. */
export function useUndoJob(kind: CsvKind) {
  const [id, setId] = useState<string | null>(null);
  const { data } = useQuery({
    ...queryOf(getImport, { id: id ?? '' }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? POLL_MS : false),
  });
  const job = data?.kind === 'undo' ? data : undefined;
  useEffect(() => {
    if (!job || job.state === 'running') return;
    setId(null);
    if (job.state === 'done') tellSuccess(sayUndone(job));
    else tellError(sayServed(job.reason ?? ''));
    refreshLists(kind, 'imports');
  }, [job, kind]);
  const isFollowed = id !== null && (!job || job.state === 'running');
  return { job: isFollowed ? (job ?? { rows_done: 0, rows_total: 0 }) : null, follow: setId };
}

function sayUndone({ results }: UndoState): string {
  const { people = 0, products = 0 } = results ?? {};
  if (products > 0)
    return sayCount(products, {
      one: '{count} product was archived.',
      other: '{count} products were archived.',
    });
  return sayCount(people, { one: '{count} person lost access.', other: '{count} people lost access.' });
}
