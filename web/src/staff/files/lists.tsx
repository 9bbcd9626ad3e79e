// The lists of uploads: the card of the recent ones of a kind, newest first, whose rows open their upload (R-IMP-16), and the
// columns of all lists.
import { type Batch, type CsvKind, type ImportState, listImports } from '@portal/contract';
import { useMemo } from 'react';
import { classes } from '../../ui/dom.ts';
import { type CellWords, type Column, cutWords, ROW_LINK } from '../../ui/table.tsx';
import { sayDay, sayDayAndTime, sayNumber } from '../../words/format.ts';
import { say, sayServed } from '../../words/say.ts';
import { column, RowLink, ShortList } from '../list.tsx';
import { UPLOADS_PATH } from '../nouns/code.tsx';
import { listByColumn } from '../nouns/person.tsx';
import { fileNameOf } from '../nouns/upload.ts';
import { openUpload } from './follow.ts';
import { sayFile } from './words.ts';

export const listUploadWords = () => ({
  loading: say('Loading uploads...'),
  notLoaded: say('We could not load the uploads.'),
});

export function RecentUploads({ kind }: { kind: CsvKind }) {
  const columns = useMemo(() => listUploadColumns((row) => void openUpload(row)), []);
  return (
    <ShortList
      list={listImports}
      filters={{ kind }}
      title={say('Recent uploads')}
      sub={say('Files of the last 90 days, newest first.')}
      words={{ ...listUploadWords(), empty: say('No file was uploaded yet.') }}
      columns={columns}
      pageSize={5}
    />
  );
}

/** The file name of a row calls `open`, unless `draw` draws it. */
export function listUploadColumns(
  open: (row: ImportState) => void,
  draw?: Column<ImportState>['draw'],
): [Column<ImportState>, ...Column<ImportState>[]] {
  return [
    column<ImportState>(say('File'), sayFile, {
      as: 'strong',
      max: 60,
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
    }),
    column(say('State'), sayState, { as: 'end' }),
    column(say('Uploaded'), ({ created_at }) => sayDayAndTime(created_at)),
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

/** The columns of a list of uploads of codes, without their product. */
export const listBatchColumns = (): [Column<Batch>, ...Column<Batch>[]] => [
  column<Batch>(say('File'), fileNameOf, {
    as: 'strong',
    max: 60,
    draw: ({ id }, words) => <RowLink href={`${UPLOADS_PATH}/${id}`} words={words} />,
  }),
  column(say('Day'), ({ created_at }) => sayDay(created_at)),
  listByColumn(),
  column(say('Codes'), ({ codes }) => sayNumber(codes), { as: 'end', right: true }),
];
