// Shows which file was not imported and why. The message stays until the user dismisses it or selects another file.
import { FileX, Upload, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';
import { fileInputId } from './csv-upload.tsx';
import { type ImportRun, importRuns } from './import-runs.ts';
import styles from './refused-file.module.css';

/** Shows the last file of this kind if it was refused. Renders nothing if it was not refused. */
export function RefusedFile({ run }: { run: ImportRun | undefined }) {
  // `seen` is the import that the store had when this page was opened. The message about this import is old, so screen
  // readers do not announce the message.
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
