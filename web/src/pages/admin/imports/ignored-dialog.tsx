// Dialog that asks before a file is imported without a column that looks like a field that no column fills (R-MAP-22).
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';
import { nameColumns } from './check-words.ts';
import type { Question } from './import-runs.ts';

type IgnoredDialogProps = { fileName: string; question: Extract<Question, { names: string[] }> };

export function IgnoredDialog({ fileName, question: { names, answer } }: IgnoredDialogProps) {
  return (
    <ConfirmDialog
      title={say('Import without these columns?')}
      words={say('{file} has columns that the portal does not know: {names}. They would be ignored.', {
        file: isolate(fileName),
        names: nameColumns(names),
      })}
      confirm={say('Import without them')}
      onCancel={() => answer(null)}
      onConfirm={() => answer({})}
    />
  );
}
