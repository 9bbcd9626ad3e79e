// Announces the progress of an import to screen readers.
import { say } from '../../../words/say.ts';
import type { ImportRun } from './import-runs.ts';
import { sayShare } from './say-share.ts';

/**
 * Announces the start and each quarter only; a toast announces the end. The element is always on the page, because
 * screen readers do not announce the first text of a newly added live region.
 */
export function ImportStatus({ run }: { run: ImportRun | undefined }) {
  return (
    <p className="sr-only" role="status">
      {run?.state === 'running' && sayQuarter(run)}
    </p>
  );
}

function sayQuarter({ fileName, rowsDone, rowsTotal }: ImportRun): string {
  const quarters = rowsTotal > 0 ? Math.floor((rowsDone / rowsTotal) * 4) : 0;
  if (quarters === 0) return say('The import of {file} has started', { file: fileName });
  return say('The import of {file} is {share} done', { file: fileName, share: sayShare(quarters / 4) });
}
