// Columns of the lists of uploads.
import type { ImportState } from '@portal/contract';
import { classes } from '../../../ui/classes.ts';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { listByColumn } from '../people/by-column.tsx';
import { sayTimeOf } from '../uploads/upload-words.ts';
import styles from './check.module.css';
import { countWords, sayState } from './upload-list-words.ts';

const fileWords = ({ file_name }: ImportState) => cutWords(file_name ?? say('CSV file'), 60);

/** Returns the columns. The file name of a row calls `open`, unless `draw` draws it. */
export function listUploadColumns(
  open: (row: ImportState) => void,
  draw?: Column<ImportState>['draw'],
): Column<ImportState>[] {
  return [
    {
      label: say('File'),
      as: 'strong',
      words: fileWords,
      draw: (row, words) =>
        draw?.(row, words) ?? (
          <button
            type="button"
            className={classes(admin.rowLink, styles.open)}
            dir="auto"
            onClick={() => open(row)}
            aria-label={words.full}
          >
            {words.text}
          </button>
        ),
    },
    { label: say('State'), as: 'end', words: (row) => ({ text: sayState(row) }) },
    { label: say('Uploaded'), as: 'line', words: ({ created_at }) => ({ text: sayTimeOf(created_at) }) },
    listByColumn(),
    { label: say('Result'), as: 'line', wraps: true, words: countWords },
  ];
}
