// Dialog that asks whether the day or the month comes first in the last days of a file of codes (R-MAP-23).
import { type DayOrder, readDay } from '@portal/contract';
import { useId } from 'react';
import { Button } from '../../../ui/button.tsx';
import styles from '../../../ui/confirm-dialog.module.css';
import { Dialog } from '../../../ui/dialog.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { sayDay } from '../../../words/days.ts';
import { say } from '../../../words/say.ts';
import type { Question } from './import-runs.ts';

type DatesDialogProps = { fileName: string; question: Extract<Question, { example: string }> };

export function DatesDialog({ fileName, question: { example, answer } }: DatesDialogProps) {
  const id = useId();
  const choose = (dates: DayOrder) => (
    <Button onClick={() => answer({ dates })}>{sayDay(readDay(example, dates) ?? example)}</Button>
  );
  return (
    <Dialog
      role="alertdialog"
      className={styles.dialog}
      labelledBy={`${id}-title`}
      describedBy={`${id}-words`}
      onClose={() => answer(null)}
    >
      <div className={styles.sheet}>
        <h2 id={`${id}-title`}>{say('Which day is {day}?', { day: isolate(example) })}</h2>
        <p id={`${id}-words`}>
          {say('No day of {file} says whether the day or the month comes first.', {
            file: isolate(fileName),
          })}
        </p>
        <div className={styles.choices}>
          <Button look="ghost" onClick={() => answer(null)}>
            {say('Cancel')}
          </Button>
          {choose('mdy')}
          {choose('dmy')}
        </div>
      </div>
    </Dialog>
  );
}
