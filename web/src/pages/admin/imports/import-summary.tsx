// What stands below the button of an upload.
import type { ImportRun } from './import-runs.ts';
import { Outcome } from './outcome.tsx';
import { UndoJob } from './undo-job.tsx';

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
