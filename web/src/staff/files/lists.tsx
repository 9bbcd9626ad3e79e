// Lists of uploads: their columns, and the card with the recent uploads of one kind, newest first (R-IMP-16). A row
// opens its upload.
import { type Batch, type CsvKind, type ImportState, listImports } from '@portal/contract';
import { useMemo } from 'react';
import { classes } from '../../ui/dom.ts';
import { type CellWords, type Column, cutWords, ROW_LINK } from '../../ui/table.tsx';
import { Tag, type TagTone } from '../../ui/tag.tsx';
import { formatNumber } from '../../words/format.ts';
import { t, tServed } from '../../words/translate.ts';
import { column, RowLink, ShortList } from '../list.tsx';
import { UPLOADS_PATH } from '../nouns/code.tsx';
import { listByColumn } from '../nouns/person.tsx';
import { fileNameOf } from '../nouns/upload.ts';
import { formatDay, formatDayAndTime } from '../time.ts';
import { openUpload } from './follow.ts';
import { formatFile } from './words.ts';

export const listUploadWords = () => ({
  loading: t('Loading uploads...'),
  notLoaded: t('We could not load the uploads.'),
});

export function RecentUploads({ kind }: { kind: CsvKind }) {
  const columns = useMemo(() => listUploadColumns((row) => void openUpload(row)), []);
  return (
    <div className={UPLOAD_ROWS}>
      <ShortList
        list={listImports}
        filters={{ kind }}
        title={t('Recent uploads')}
        sub={t('Files of the last 90 days, newest first.')}
        words={{ ...listUploadWords(), empty: t('No file was uploaded yet.') }}
        columns={columns}
        pageSize={5}
      />
    </div>
  );
}

/** Phones show a note about the result on its own line. The class is for the table, or for an element around it. */
export const UPLOAD_ROWS = 'max-md:[&_td:nth-last-child(3)]:contents!';

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
    {
      label: t('Result'),
      as: 'end',
      wraps: true,
      words: (row) => ({ text: [formatState(row), countWords(row)?.text].filter(Boolean).join(', ') }),
      draw: (row) => <Result of={row} />,
    },
    { ...listByColumn<ImportState>(), awayOnPhones: () => true },
    column(t('Uploaded'), ({ created_at }) => formatDayAndTime(created_at), {
      draw: ({ created_at }, { text }) => (
        <>
          <span className="md:hidden">{formatDay(created_at)}</span>
          <span className="max-md:hidden">{text}</span>
        </>
      ),
    }),
  ];
}

const TONES: Partial<Record<ImportState['state'], TagTone>> = { failed: 'danger', refused: 'danger' };

/** A file that was imported as it is has quiet words. A tag is for what needs somebody. */
function Result({ of }: { of: ImportState }) {
  const note = countWords(of);
  const isDone = of.state === 'done' && !of.waits && !of.checking && note !== undefined;
  const isWarning = of.waits || (of.results?.failures ?? 0) > 0;
  if (isDone && !isWarning) return note.text;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5 py-0.5 max-md:contents">
      <Tag tone={isWarning ? 'warning' : TONES[of.state]}>{isDone ? note.text : formatState(of)}</Tag>
      {note && !isDone && (
        <span
          className="text-ink-3 max-md:order-3 max-md:basis-full max-md:text-left max-md:wrap-anywhere"
          title={note.full}
        >
          {note.text}
        </span>
      )}
    </span>
  );
}

const formatStates: Record<Exclude<ImportState['state'], 'done'>, () => string> = {
  running: () => t('Running'),
  checked: () => t('Checked'),
  failed: () => t('Failed'),
  refused: () => t('Refused'),
  cancelled: () => t('Cancelled'),
  taken_back: () => t('Taken back'),
};

/** Undefined for a file that was imported: its counts say so. */
function formatState({ state, checking, waits }: ImportState): string | undefined {
  if (waits) return t('Waiting for another file');
  if (checking) return t('Being checked');
  return state === 'done' ? undefined : formatStates[state]();
}

/** Returns the counts of the upload, or why its file was refused. */
function countWords(upload: ImportState): CellWords | undefined {
  const { state, reason, results, preview, rows_done, rows_total } = upload;
  if (state === 'refused') return cutWords(tServed(reason ?? ''), 80);
  if (state === 'checked') return { text: t('{count} new', { count: preview?.new ?? 0 }) };
  if (!results) return { text: t('{done} of {total} rows', { done: rows_done, total: rows_total }) };
  const { success: done, failures: failed } = results;
  const isWhole = done === rows_total;
  if (failed > 0)
    return { text: t('{done} of {total} added, {failed} failed', { done, total: rows_total, failed }) };
  return {
    text: isWhole
      ? t('{count} added', { count: done })
      : t('{done} of {total} added', { done, total: rows_total }),
  };
}

/** The columns of a list of uploads of codes, without their product. */
export const listBatchColumns = (): [Column<Batch>, ...Column<Batch>[]] => [
  column<Batch>(t('File'), fileNameOf, {
    as: 'strong',
    max: 60,
    draw: ({ id }, words) => <RowLink href={`${UPLOADS_PATH}/${id}`} words={words} />,
  }),
  column(t('Codes'), ({ codes }) => formatNumber(codes), { as: 'end', right: true }),
  listByColumn(),
  column(t('Day'), ({ created_at }) => formatDay(created_at)),
];
