// Card that lists the uploads of one kind of 90 days, newest first. A row opens its upload (R-IMP-16).
import { type CsvKind, type ImportState, listImports } from '@portal/contract';
import { useMemo, useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/dom.ts';
import { type CellWords, type Column, cutWords, ROW_LINK } from '../../ui/table.tsx';
import { sayDayAndTime, sayNumber } from '../../words/format.ts';
import { say, sayServed } from '../../words/say.ts';
import { type ListState, ShortList, useList } from '../list.tsx';
import { listByColumn } from '../nouns/person.tsx';
import { openUpload } from './follow.ts';
import { sayFile } from './words.ts';

const ROWS = 5;

export function RecentUploads({ kind }: { kind: CsvKind }) {
  const [state, show] = useState<ListState>({ q: '', filters: { kind }, cursors: [] });
  const { query, page } = useList(listImports, { state, show }, ROWS);
  const columns = useMemo(() => listUploadColumns((row: ImportState) => void openUpload(row)), []);
  const words = {
    caption: say('Recent uploads'),
    loading: say('Loading uploads...'),
    notLoaded: say('We could not load the uploads.'),
    empty: say('No file was uploaded yet.'),
  };
  return (
    <Card title={words.caption} sub={say('Files of the last 90 days, newest first.')}>
      <ShortList words={words} query={query} page={page} columns={columns} />
    </Card>
  );
}

/** The file name of a row calls `open`, unless `draw` draws it. */
export function listUploadColumns(
  open: (row: ImportState) => void,
  draw?: Column<ImportState>['draw'],
): Column<ImportState>[] {
  return [
    {
      label: say('File'),
      as: 'strong',
      words: (row) => cutWords(sayFile(row), 60),
      draw: (row, words) =>
        draw?.(row, words) ?? (
          <button
            type="button"
            className={classes(ROW_LINK, 'text-left wrap-anywhere cursor-pointer')}
            dir="auto"
            onClick={() => open(row)}
            aria-label={words.full}
          >
            {words.text}
          </button>
        ),
    },
    { label: say('State'), as: 'end', words: (row) => ({ text: sayState(row) }) },
    { label: say('Uploaded'), as: 'line', words: ({ created_at }) => ({ text: sayDayAndTime(created_at) }) },
    listByColumn(),
    { label: say('Result'), as: 'line', wraps: true, words: countWords },
  ];
}

const sayStates: Record<ImportState['state'], () => string> = {
  running: () => say('Running'),
  checked: () => say('Checked'),
  done: () => say('Imported'),
  failed: () => say('Failed'),
  refused: () => say('Refused'),
  cancelled: () => say('Cancelled'),
  taken_back: () => say('Taken back'),
};

function sayState({ state, checking, waits }: ImportState): string {
  if (waits) return say('Waiting for another file');
  return checking ? say('Being checked') : sayStates[state]();
}

/** Returns the counts of the upload, or why its file was refused. */
function countWords({ state, reason, results, preview, rows_done, rows_total }: ImportState): CellWords {
  if (state === 'refused') return cutWords(sayServed(reason ?? ''), 80);
  if (state === 'checked') return { text: say('{count} new', { count: sayNumber(preview?.new ?? 0) }) };
  if (!results)
    return {
      text: say('{done} of {total} rows', { done: sayNumber(rows_done), total: sayNumber(rows_total) }),
    };
  const { success, failures } = results;
  const created = say('{count} created', { count: sayNumber(success) });
  const failed = say('{count} failed', { count: sayNumber(failures) });
  return { text: failures > 0 ? `${created}, ${failed}` : created };
}
