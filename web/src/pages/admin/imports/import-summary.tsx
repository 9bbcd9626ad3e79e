// Places for the result of an upload and for the list of recent uploads. Their files are loaded on demand.
import { lazyPart } from '../../../parts/lazy-screen.tsx';
import type { ImportRun } from './import-runs.ts';
import { loadResults } from './load-results.ts';

const Outcome = lazyPart(() => loadResults().then((m) => m.Outcome), null);

const UndoJob = lazyPart(() => loadResults().then((m) => m.UndoJob), null);

export const RecentUploads = lazyPart(() => loadResults().then((m) => m.RecentUploads), null);

/**
 * Shows a file that waits for an answer or was checked, or an import that has ended. Also shows the job that takes an
 * upload back.
 */
export function ImportSummary({ run }: { run: ImportRun | undefined }) {
  return (
    <>
      <UndoJob />
      {run && run.state !== 'running' && <Outcome run={run} />}
    </>
  );
}
