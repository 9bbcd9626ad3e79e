// Shows which file was not imported and why, until the message is dismissed or the next file is selected.
import { FileX, Upload, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';
import { fileInputId } from './csv-upload.tsx';
import { type ImportRun, importRuns } from './import-runs.ts';
import styles from './refused-file.module.css';

/** Renders nothing unless the last file of this kind was refused. */
export function RefusedFile({ run }: { run: ImportRun | undefined }) {
  // Screen readers announce only a new message, not one that existed before this page was opened.
  const [seen] = useState(run);
  if (run?.state !== 'refused') return null;
  const { kind, fileName, reason } = run;
  const input = () => document.getElementById(fileInputId(kind));
  const dismiss = () => {
    importRuns.remove(kind);
    input()?.focus();
  };
  return (
    <div className={styles.refused} role={run === seen ? undefined : 'alert'}>
      <Icon of={FileX} />
      <div>
        <h3>{say('{file} was not imported', { file: isolate(fileName) })}</h3>
        <p>{reason}</p>
        <Button size="sm" onClick={() => input()?.click()}>
          <Icon of={Upload} size={16} />
          {say('Select CSV File')}
        </Button>
      </div>
      <Button size="sm" look="ghost" aria-label={say('Dismiss')} onClick={dismiss}>
        <Icon of={X} size={16} />
      </Button>
    </div>
  );
}
