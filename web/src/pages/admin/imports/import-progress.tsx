// The bar of an import under way, in the place of the drop area.
import { FileText } from 'lucide-react';
import { useRef } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { type ImportRun, sayTimeLeft } from './import-runs.ts';
import styles from './imports.module.css';

export function ImportProgress({ run }: { run: ImportRun }) {
  const { fileName, sizeBytes, rowsDone, rowsTotal } = run;
  const words =
    rowsTotal > 0 ? `${rowsDone.toLocaleString()} of ${rowsTotal.toLocaleString()} rows` : 'Reading the file';
  const timeLeft = sayTimeLeft(run, Date.now());
  return (
    <div className={styles.running}>
      <div className={styles.file}>
        <Icon of={FileText} />
        <span className={styles.fileName} title={fileName}>
          {fileName}
        </span>
        {sizeBytes !== null && <span className={styles.faint}>{saySize(sizeBytes)}</span>}
        {rowsTotal > 0 && <span className={styles.share}>{Math.floor((rowsDone / rowsTotal) * 100)}%</span>}
      </div>
      <Progress label={`Import of ${fileName}`} done={rowsDone} total={rowsTotal} words={words} />
      <p aria-hidden="true">
        {words}
        {timeLeft && ` · ${timeLeft}`}
      </p>
      <QuarterStatus run={run} />
    </div>
  );
}

/** Speaks at the start and at each quarter only. */
function QuarterStatus({ run: { fileName, rowsDone, rowsTotal } }: { run: ImportRun }) {
  const spoken = useRef({ quarter: -1, words: '' });
  const quarter = rowsTotal > 0 ? Math.floor((rowsDone / rowsTotal) * 4) : 0;
  if (quarter > spoken.current.quarter) {
    const share = quarter === 0 ? 'has started' : `is ${quarter * 25}% done`;
    spoken.current = { quarter, words: `The import of ${fileName} ${share}` };
  }
  return (
    <p className="sr-only" role="status">
      {spoken.current.words}
    </p>
  );
}

function saySize(bytes: number): string {
  const kilobytes = bytes / 1024;
  if (kilobytes < 1024) return `${Math.max(1, Math.round(kilobytes)).toLocaleString()} KB`;
  return `${(kilobytes / 1024).toFixed(1)} MB`;
}
