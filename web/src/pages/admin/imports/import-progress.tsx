// Progress bar of a running import. Replaces the drop area.
import { FileText } from 'lucide-react';
import { Icon } from '../../../ui/icon.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { type ImportRun, sayTimeLeft } from './import-runs.ts';
import styles from './imports.module.css';
import { sayShare } from './say-share.ts';

export function ImportProgress({ run }: { run: ImportRun }) {
  const { fileName, checking, waits, sizeBytes, rowsDone, rowsTotal } = run;
  const progress =
    rowsTotal > 0
      ? say('{done} of {total} rows', { done: sayNumber(rowsDone), total: sayNumber(rowsTotal) })
      : say('Reading the file');
  const words = waits ? say('Waiting for another file') : progress;
  const timeLeft = sayTimeLeft(run, Date.now());
  return (
    <div className={styles.running}>
      <div className={styles.file}>
        <Icon of={FileText} />
        <span className={styles.fileName} title={fileName}>
          {fileName}
        </span>
        {sizeBytes !== null && <span className={styles.faint}>{saySize(sizeBytes)}</span>}
        {rowsTotal > 0 && (
          <span className={styles.share}>{sayShare(Math.floor((rowsDone / rowsTotal) * 100) / 100)}</span>
        )}
      </div>
      <Progress
        label={
          checking ? say('Check of {file}', { file: fileName }) : say('Import of {file}', { file: fileName })
        }
        done={rowsDone}
        total={rowsTotal}
        words={words}
      />
      <p aria-hidden="true">
        {words}
        {timeLeft && ` · ${timeLeft}`}
      </p>
    </div>
  );
}

function saySize(bytes: number): string {
  const kilobytes = bytes / 1024;
  if (kilobytes < 1024) return `${sayNumber(Math.max(1, Math.round(kilobytes)))} KB`;
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${sayNumber(kilobytes / 1024, digits)} MB`;
}
