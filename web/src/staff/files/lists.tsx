// Lists of uploads: their columns, and the card with the recent uploads of one kind, newest first (R-IMP-16). A row
// opens its upload.
import { type Batch, type CsvKind, type ImportState, listImports } from '@portal/contract';
import { useMemo } from 'react';
import { classes } from '../../ui/dom.ts';
import { type CellWords, type Column, cutWords, ROW_LINK } from '../../ui/table.tsx';
import { formatDay, formatDayAndTime, formatNumber } from '../../words/format.ts';
import { t, tServed } from '../../words/translate.ts';
import { column, RowLink, ShortList } from '../list.tsx';
import { UPLOADS_PATH } from '../nouns/code.tsx';
import { listByColumn } from '../nouns/person.tsx';
import { fileNameOf } from '../nouns/upload.ts';
import { openUpload } from './follow.ts';
import { formatFile } from './words.ts';

export const listUploadWords = () => ({
  loading: t('Loading uploads...'),
  notLoaded: t('We could not load the uploads.'),
});

export function RecentUploads({ kind }: { kind: CsvKind }) {
  const columns = useMemo(() => listUploadColumns((row) => void openUpload(row)), []);
  return (
    <ShortList
      list={listImports}
      filters={{ kind }}
      title={t('Recent uploads')}
      sub={t('Files of the last 90 days, newest first.')}
      words={{ ...listUploadWords(), empty: t('No file was uploaded yet.') }}
      columns={columns}
      pageSize={5}
    />
  );
}

/** A click on the file name calls `open`. With `draw`, the caller draws the file name instead. */
export function listUploadColumns(
  open: (row: ImportState) => void,
  draw?: Column<ImportState>['draw'],
): [Column<ImportState>, ...Column<ImportState>[]] {
  return [
    column<ImportState>(t('File'), formatFile, {
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
    column(t('State'), formatState, { as: 'end' }),
    column(t('Uploaded'), ({ created_at }) => formatDayAndTime(created_at)),
    listByColumn(),
    { label: t('Result'), as: 'line', wraps: true, words: countWords },
  ];
}

const formatStates: Record<ImportState['state'], () => string> = {
  running: () => t('Running'),
  checked: () => t('Checked'),
  done: () => t('Imported'),
  failed: () => t('Failed'),
  refused: () => t('Refused'),
  cancelled: () => t('Cancelled'),
  taken_back: () => t('Taken back'),
};

function formatState({ state, checking, waits }: ImportState): string {
  if (waits) return t('Waiting for another file');
  return checking ? t('Being checked') : formatStates[state]();
}

/** Returns the counts of the upload, or why its file was refused. */
function countWords({ state, reason, results, preview, rows_done, rows_total }: ImportState): CellWords {
  if (state === 'refused') return cutWords(tServed(reason ?? ''), 80);
  if (state === 'checked') return { text: t('{count} new', { count: preview?.new ?? 0 }) };
  if (!results) return { text: t('{done} of {total} rows', { done: rows_done, total: rows_total }) };
  const created = t('{count} created', { count: results.success });
  const failed = t('{count} failed', { count: results.failures });
  return { text: results.failures > 0 ? `${created}, ${failed}` : created };
}

/** The columns of a list of uploads of codes, without their product. */
export const listBatchColumns = (): [Column<Batch>, ...Column<Batch>[]] => [
  column<Batch>(t('File'), fileNameOf, {
    as: 'strong',
    max: 60,
    draw: ({ id }, words) => <RowLink href={`${UPLOADS_PATH}/${id}`} words={words} />,
  }),
  column(t('Day'), ({ created_at }) => formatDay(created_at)),
  listByColumn(),
  column(t('Codes'), ({ codes }) => formatNumber(codes), { as: 'end', right: true }),
];
