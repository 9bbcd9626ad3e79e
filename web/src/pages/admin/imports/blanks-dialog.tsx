// Dialog that asks what becomes of the rows without a code in a file that also has codes (R-IMP-15).
import { useEffect, useId, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import styles from '../../../ui/confirm-dialog.module.css';
import { Dialog } from '../../../ui/dialog.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { say, sayCount } from '../../../words/say.ts';
import type { Question } from './import-runs.ts';

type BlanksDialogProps = { fileName: string; question: Extract<Question, { blanks: number }> };

export function BlanksDialog({ fileName, question: { codes, blanks, answer } }: BlanksDialogProps) {
  const id = useId();
  const safe = useRef<HTMLButtonElement>(null);
  useEffect(() => safe.current?.focus(), []);
  return (
    <Dialog
      role="alertdialog"
      className={styles.dialog}
      labelledBy={`${id}-title`}
      describedBy={`${id}-words`}
      onClose={() => answer(null)}
    >
      <div className={styles.sheet}>
        <h2 id={`${id}-title`}>
          {sayCount(blanks, { one: '{count} row has no code.', other: '{count} rows have no code.' })}
        </h2>
        <p id={`${id}-words`}>
          {say('{file} also holds {codes}. The partner does not know codes that the portal generates.', {
            file: isolate(fileName),
            codes: sayCount(codes, { one: '{count} code', other: '{count} codes' }),
          })}
        </p>
        <div className={styles.choices}>
          <Button look="ghost" onClick={() => answer(null)}>
            {say('Cancel')}
          </Button>
          <Button onClick={() => answer({ blanks: 'generate' })}>
            {sayCount(blanks, { one: 'Generate {count} code', other: 'Generate {count} codes' })}
          </Button>
          <Button ref={safe} look="primary" onClick={() => answer({ blanks: 'skip' })}>
            {say('Leave them out')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
