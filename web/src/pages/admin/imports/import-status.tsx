// Announces the progress of an import to screen readers.
import { say } from '../../../words/say.ts';
import type { ImportRun } from './import-runs.ts';
import { sayShare } from './say-share.ts';

/**
 * Announces the start of an import, and when 25, 50 and 75 % of its rows are done. A toast announces the end. The <p>
 * element is always on the page, because screen readers announce only texts that appear in an existing element.
 */
export function ImportStatus({ run }: { run: ImportRun | undefined }) {
  return (
    <p className="sr-only" role="status">
      {run?.state === 'running' && sayQuarter(run)}
    </p>
  );
}

function sayQuarter({ fileName, checking, rowsDone, rowsTotal }: ImportRun): string {
  const quarters = rowsTotal > 0 ? Math.floor((rowsDone / rowsTotal) * 4) : 0;
  if (checking) {
    if (quarters === 0) return say('The check of {file} has started', { file: fileName });
    return say('The check of {file} is {share} done', { file: fileName, share: sayShare(quarters / 4) });
  }
  if (quarters === 0) return say('The import of {file} has started', { file: fileName });
  return say('The import of {file} is {share} done', { file: fileName, share: sayShare(quarters / 4) });
}
