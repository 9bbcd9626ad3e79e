// Tells screen readers how far an import has come.
import { say } from '../../../words/say.ts';
import type { ImportRun } from './import-runs.ts';
import { sayShare } from './say-share.ts';

/**
 * Speaks at the start and at each quarter only; the end is told by a notification. It stands there before there is
 * anything to say: of a live region that comes with its words, these are not heard.
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
