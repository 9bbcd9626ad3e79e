// The result of a file's check or import: counts, failed rows, mails, and files to download (R-IMP-04, R-IMP-06).
import type {
  CsvKind,
  FoundColumns,
  ImportPreview,
  ImportSample,
  ImportState,
  ReadyMails,
  RowError,
} from '@portal/contract';
import {
  getImportDuplicates,
  getImportErrors,
  getImportGenerated,
  listImports,
  retryFailedJobs,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Columns3, Download, FileCheck, FileText, Mail, RefreshCw, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { call, pathOf } from '../../api.ts';
import { queryClient } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { classes, focusMain } from '../../ui/dom.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { isolate } from '../../ui/text.tsx';
import { formatNumber } from '../../words/format.ts';
import { t, tCount, tNode, tServed } from '../../words/translate.ts';
import { refreshLists, toastError, useAction } from '../action.tsx';
import { useDownload } from '../exports.tsx';
import { CancelJob } from '../jobs.tsx';
import { column } from '../list.tsx';
import { COHORTS_PATH } from '../nouns/cohort.tsx';
import { PersonLink } from '../nouns/person.tsx';
import { useProductNames } from '../nouns/product.tsx';
import { formatDayAndTime } from '../time.ts';
import type { ShownUpload } from './follow.ts';
import { discardChecked, importQuery, openUpload, startChecked, uploads } from './follow.ts';
import { EncodingSelect, SheetSelect } from './read-as.tsx';
import { UndoButton } from './undo.tsx';
import {
  type CountRow,
  changesAnything,
  formatCaseOnly,
  formatElsewhere,
  formatFile,
  formatIgnored,
  formatImport,
  formatLeftOut,
  formatNoNames,
  formatNothingNew,
  formatStopped,
  listNotes,
  listPreviewRows,
  tallyOf,
} from './words.ts';

export function CheckCard({ shown }: { shown: ShownUpload }) {
  const titleId = useId();
  const { job, source } = shown;
  const target = useTarget(shown);
  const { kind, preview, errors, errors_count, found, ignored, left_out, sample, sample_rows } = job;
  const title = useNewsFocus(shown);
  if (!preview) return null;
  const rows = tCount(preview.total, { one: '{count} row', other: '{count} rows' });
  const noNames = formatNoNames(kind, found);
  const ignoredWords = formatIgnored(ignored);
  const leftOutWords = formatLeftOut(left_out);
  return (
    <ResultCard
      titleId={titleId}
      rows={
        <>
          <RowsHead title={t('First rows')}>
            {ignoredWords && <span className="wrap-anywhere">{ignoredWords}</span>}
          </RowsHead>
          <FirstRows sample={sample ?? []} lines={sample_rows ?? []} found={found} />
          {errors.length > 0 && (
            <>
              <RowsHead title={t('Failed rows')}>
                <FileButton id={job.id} kind={kind} file="failed_rows" />
              </RowsHead>
              <FailedRows kind={kind} errors={errors} count={errors_count} />
            </>
          )}
        </>
      }
    >
      <div>
        <h2 ref={title} id={titleId} tabIndex={-1} className="text-lg">
          {t('Nothing was imported yet.')}
        </h2>
        <FileLine fileName={formatFile(job)}>
          {target ? t('{rows} for {target}', { rows, target: isolate(target) }) : rows}
        </FileLine>
      </div>
      {source && (
        <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
          <SheetSelect source={source} />
          <EncodingSelect source={source} />
          <Button size="sm" onClick={() => void source.again({ asks: true })} icon={Columns3}>
            {t('Change columns')}
          </Button>
        </div>
      )}
      {[...(source?.notes ?? []), ...formatElsewhere(preview), ...formatCaseOnly(preview)].map((words) => (
        <Notice key={words} icon={TriangleAlert} warning>
          {words}
        </Notice>
      ))}
      {noNames && <p className="text-sm text-ink-3">{noNames}</p>}
      {leftOutWords && <p className="text-sm text-ink-3 wrap-anywhere">{leftOutWords}</p>}
      <Counts rows={listPreviewRows(preview)} />
      <Choice shown={shown} preview={preview} target={target} />
    </ResultCard>
  );
}

/**
 * Returns the target of the rows. A check that was opened again has no target of its own, but the server knows the product
 * of its codes (R-DAY-38).
 */
function useTarget({ job, target }: ShownUpload): string | null {
  const { names } = useProductNames(target === null ? [job] : []);
  return target ?? names.get(job.product_id ?? '') ?? null;
}

type ChoiceProps = { shown: ShownUpload; preview: ImportPreview; target: string | null };

function Choice({ shown, preview, target }: ChoiceProps) {
  const offId = useId();
  const [busy, setBusy] = useState(false);
  const [path] = useLocation();
  const { kind } = shown.job;
  const isDisabled = !changesAnything(preview);
  const discard = async () => {
    setBusy(true);
    await discardChecked(shown);
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          look="primary"
          disabled={isDisabled || busy}
          aria-describedby={isDisabled ? offId : undefined}
          onClick={() => startChecked(shown)}
        >
          {kind === 'coupons' && target !== null ? (
            <ImportCodes count={preview.new} product={target} />
          ) : (
            formatImport(kind, preview)
          )}
        </Button>
        <Button busy={busy} onClick={() => void discard()}>
          {t('Discard')}
        </Button>
      </div>
      <p id={offId} className="text-sm text-ink-3">
        {isDisabled ? formatNothingNew(kind) : formatKept(kind, path)}
      </p>
    </>
  );
}

function ImportCodes({ count, product }: { count: number; product: string }) {
  const names = { count: formatNumber(count), product: <bdi>{product}</bdi> };
  return (
    <span className="whitespace-normal wrap-anywhere">
      {count === 1
        ? tNode('Import 1 code for {product}', names)
        : tNode('Import {count} codes for {product}', names)}
    </span>
  );
}

/** Returns a sentence about where the file is kept. Only Products and Users have the card `Recent uploads` (N-104). */
function formatKept(kind: CsvKind, path: string): string {
  if (kind === 'coupons') return t('Kept for 24 hours under Uploads.');
  return path.startsWith(`${COHORTS_PATH}/`)
    ? t('Kept for 24 hours under Recent uploads on the Users page.')
    : t('Kept for 24 hours under Recent uploads.');
}

type SampleRow = { row: number; cells: ImportSample[number] };

type FirstRowsProps = { sample: ImportSample; lines: readonly number[]; found: FoundColumns | null };

/** `lines` are the lines of the file on which the rows begin, as in failed rows and files. */
function FirstRows({ sample, lines, found }: FirstRowsProps) {
  const columns: Column<SampleRow>[] = [
    column(t('Row'), ({ row }) => formatNumber(row), { as: 'end', labelOnPhones: true }),
    ...listFields(sample, found).map(({ field, label }, at) => {
      const isCode = field === 'coupon_code';
      return column<SampleRow>(label, ({ cells }) => showControls(cells[field] ?? '') || '-', {
        as: at === 0 ? 'strong' : 'line',
        mono: isCode,
        labelOnPhones: at > 0,
        // A code is not cut, so that all of it can be selected (R-FIND-02).
        ...(!isCode && { max: 40 }),
        draw: ({ cells }, { text }) =>
          isCode && cells[field] ? <span className="select-all">{text}</span> : <bdi>{text}</bdi>,
        awayOnPhones: ({ cells }) => at > 0 && !cells[field],
      });
    }),
  ];
  const rows = sample.map((cells, at) => ({ row: lines[at] ?? at + 1, cells }));
  const keyOf = ({ row }: SampleRow) => `${row}`;
  return <DataTable plain caption={t('First rows')} columns={columns} rows={rows} keyOf={keyOf} />;
}

function listFields(sample: ImportSample, found: FoundColumns | null): { field: string; label: string }[] {
  if (found === null) return Object.keys(sample[0] ?? {}).map((field) => ({ field, label: field }));
  const fields = new Map<string, string>();
  for (const { name, field } of found.columns) {
    // The first and the last name are shown together.
    const shown = field === 'first_name' || field === 'last_name' ? 'name' : field;
    if (shown === null || fields.has(shown)) continue;
    const isSame = name === null || shown !== field || name.toLowerCase() === shown;
    fields.set(shown, isSame ? shown : `${name} (${shown})`);
  }
  return Array.from(fields, ([field, label]) => ({ field, label }));
}

const MAILS_POLL_MS = 15_000;

/** Shows an import that is done, failed, cancelled or undone. */
export function Summary({ shown }: { shown: ShownUpload }) {
  const titleId = useId();
  const title = useNewsFocus(shown);
  const { job } = shown;
  const target = useTarget(shown);
  const { id, kind, state, results, errors, errors_count, mails } = job;
  const fileName = formatFile(job);
  useQuery({
    ...importQuery(id),
    // Polls while mails are queued, because mails are sent only ten minutes after the import.
    refetchInterval: ({ state }) => (state.data?.mails?.queued ? MAILS_POLL_MS : false),
  });
  const notes = [state === 'taken_back' && t('This upload was taken back.'), ...listNotes(job)].filter(
    (note) => note !== false,
  );
  const refusedMails = mails?.refused ?? [];
  const show = () => void openUpload(job);
  const dismiss = () => {
    uploads.hide(job);
    focusMain();
  };
  return (
    <ResultCard
      titleId={titleId}
      rows={
        (errors.length > 0 || refusedMails.length > 0) && (
          <>
            {errors.length > 0 && <FailedRows kind={kind} errors={errors} count={errors_count} />}
            {refusedMails.length > 0 && <RefusedMails refused={refusedMails} />}
          </>
        )
      }
    >
      <div className="flex items-start gap-3 min-w-0 max-w-full text-sm">
        <Icon of={FileCheck} className="text-ink-3" />
        <div className="min-w-0">
          <h2
            ref={title}
            id={titleId}
            tabIndex={-1}
            className="text-sm truncate font-medium tracking-normal text-ink"
            title={fileName}
          >
            {fileName}
          </h2>
          <span className="wrap-anywhere tabular-nums text-ink-3">{formatExtent({ ...shown, target })}</span>
        </div>
      </div>
      <dl className="flex flex-wrap w-full border border-line rounded-md">
        {results &&
          tallyOf(kind, results).map(({ label, count, bad }) => (
            <div key={label} className="flex-[1_0_auto] py-2.5 px-3.5 border-line not-first:border-l">
              <dt className="text-xs whitespace-nowrap text-ink-3">{label}</dt>
              <dd
                className={classes(
                  'text-lg/6 font-semibold tabular-nums',
                  bad && count > 0 && 'text-danger-text',
                )}
              >
                {formatNumber(count)}
              </dd>
            </div>
          ))}
      </dl>
      {notes.map((note) => (
        <p key={note} className="text-sm text-ink-3">
          {note}
        </p>
      ))}
      {mails && <Mails mails={mails} dueAt={job.mails_due_at} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <ResultFiles job={job} />
        <UndoButton state={job} fileName={fileName} />
        {state === 'failed' && <FailedActions state={job} onRetried={show} onCancelled={show} />}
        <Button size="sm" look="ghost" onClick={dismiss}>
          {t('Dismiss')}
        </Button>
      </div>
    </ResultCard>
  );
}

function formatExtent({ job, target, startedAtMs, endedAtMs, sizeBytes }: ShownUpload): string {
  const stopped = formatStopped(job);
  if (stopped !== null) return stopped;
  const count = tCount(job.results?.total ?? 0, { one: '{count} row', other: '{count} rows' });
  const rows = target ? t('{rows} for {target}', { rows: count, target: isolate(target) }) : count;
  // If another page started the import, `sizeBytes` is null, and the start time comes from the server's clock.
  if (endedAtMs === null || sizeBytes === null) return rows;
  const seconds = Math.max(1, Math.round((endedAtMs - startedAtMs) / 1000));
  return t('{rows}, imported in {seconds} s', { rows, seconds });
}

type MailsProps = { mails: ReadyMails; dueAt: string | undefined };

/** The mails to people about their benefits (R-INV-03), and when the next queued one is sent (R-DAY-38). */
export function Mails({ mails, dueAt }: MailsProps) {
  const id = useId();
  const rows: CountRow[] = [
    { label: t('Queued'), count: mails.queued },
    { label: t('Sent'), count: mails.sent },
    { label: t('Failed'), count: mails.failed, look: 'bad' },
    ...(mails.cancelled > 0 ? [{ label: t('Cancelled'), count: mails.cancelled }] : []),
  ];
  return (
    <section className="w-full py-2.5 px-3.5 border border-line rounded-md" aria-labelledby={id}>
      <h3 id={id} className="flex items-center gap-2 pb-2 text-sm tracking-[0]">
        <Icon of={Mail} size={16} />
        {t('‘Your benefits are ready’')}
      </h3>
      <Counts rows={rows} className="[&>:last-child]:border-b-0" />
      {dueAt !== undefined && (
        <p className="pt-1 text-sm text-ink-3">
          {t('Queued emails go out from {time}.', { time: formatDayAndTime(dueAt) })}
        </p>
      )}
    </section>
  );
}

function RefusedMails({ refused }: { refused: ReadyMails['refused'] }) {
  const columns: Column<ReadyMails['refused'][number]>[] = [
    column(t('Address'), ({ email }) => email, {
      as: 'strong',
      max: 40,
      draw: ({ email }, { text }) => <PersonLink to={email}>{text}</PersonLink>,
    }),
    column(t('The mail server said'), ({ words }) => words ?? '-', { wraps: true }),
  ];
  const title = t('Email refused');
  return (
    <>
      <RowsHead title={title} />
      <DataTable plain caption={title} columns={columns} rows={refused} keyOf={({ email }) => email} />
    </>
  );
}

type FailedActionsProps = {
  state: ImportState;
  /** Called when the import is no longer failed, also if somebody else has tried it again or cancelled it. */
  onRetried: () => void;
  onCancelled: () => void;
};

/** `Try again` continues a failed import; `Cancel import` ends it and deletes its file (C-7). */
export function FailedActions({ state: { id, kind }, onRetried, onCancelled }: FailedActionsProps) {
  const hintId = useId();
  const { run, busy } = useAction({
    send: async () => {
      const { retried } = await call(retryFailedJobs, { body: { kind: 'import', import_id: id } });
      // 0 means that somebody else was faster, or that the file is gone. If the file is gone, the import stays failed.
      const now = retried === 0 ? await queryClient.fetchQuery({ ...importQuery(id), staleTime: 0 }) : null;
      return now?.state !== 'failed';
    },
    failed: t('Failed to try again'),
    onDone: (isRetried) => {
      if (!isRetried) return toastError(t('The file is not kept any more. Please upload it again.'));
      refreshLists(kind, listImports);
      onRetried();
    },
  });
  return (
    <>
      <Button size="sm" busy={busy} onClick={() => void run()} icon={RefreshCw}>
        {busy ? t('Trying...') : t('Try again')}
      </Button>
      <CancelJob
        id={id}
        size="sm"
        hintId={hintId}
        label={t('Cancel import')}
        onCancelled={() => {
          refreshLists(kind, listImports);
          onCancelled();
        }}
      />
      <span id={hintId} className="text-sm text-ink-3">
        {t('Cancelling deletes the file. To import the rest, you then upload it again.')}
      </span>
    </>
  );
}

const SHOWN_ERRORS = 5;

type ResultCardProps = { titleId: string; rows: ReactNode; children: ReactNode };

/** A card about an upload. `rows` are tables beside its other content, on small screens below it. */
function ResultCard({ titleId, rows, children }: ResultCardProps) {
  return (
    <section
      className={classes(
        'grid grid-cols-1 min-w-0 bg-surface border border-line rounded-lg',
        !!rows && 'lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]',
      )}
      aria-labelledby={titleId}
    >
      <div className="grid grid-cols-1 content-start justify-items-start gap-4 min-w-0 pt-5 px-6 pb-6 max-md:p-4.5">
        {children}
      </div>
      {rows && (
        <div className="min-w-0 py-2 border-line border-t lg:border-t-0 lg:border-l max-md:pt-0 max-md:[&_tbody>tr:first-child]:border-t-0">
          {rows}
        </div>
      )}
    </section>
  );
}

export function FileLine({ fileName, children }: { fileName: string; children: ReactNode }) {
  return (
    <p className="text-sm flex flex-wrap items-center gap-x-2 gap-y-1 mt-1.5 text-ink-3">
      <Icon of={FileText} size={16} />
      <b className="min-w-0 wrap-anywhere font-medium text-ink">{fileName}</b>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

const COUNT_LOOKS = {
  new: { dt: 'text-ink-3', dd: 'font-semibold' },
  part: { dt: 'pl-3.5 text-ink-3', dd: '' },
  bad: { dt: 'font-medium text-danger-text', dd: 'font-medium text-danger-text' },
  total: { dt: 'font-medium text-ink', dd: 'font-medium text-ink' },
  plain: { dt: 'text-ink-3', dd: '' },
};

function Counts({ rows, className }: { rows: readonly CountRow[]; className?: string }) {
  return (
    <dl className={classes('w-full border-t border-line text-sm/6', className)}>
      {rows.map(({ label, count, look }) => {
        const { dt, dd } = COUNT_LOOKS[!look || (look === 'bad' && count === 0) ? 'plain' : look];
        return (
          <div key={label} className="flex justify-between gap-4 py-1.5 border-b border-line">
            <dt className={dt}>{label}</dt>
            <dd className={classes('tabular-nums', dd)}>{formatNumber(count)}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The title of a table. */
function RowsHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 pt-3 px-4.5 pb-1 md:px-6 border-line text-sm text-ink-3 [table+&]:border-t">
      <h3 className="tracking-[0] text-ink">{title}</h3>
      {children}
    </div>
  );
}

const formatContent = {
  products: () => t('Product in file'),
  users: () => t('Person in file'),
  coupons: () => t('Code in file'),
};

function columnsOf(kind: CsvKind): Column<RowError>[] {
  return [
    column(t('Row'), ({ row }) => formatNumber(row), { as: 'end', labelOnPhones: true }),
    // A control character may be the reason why a row is invalid, so it must be seen.
    column(formatContent[kind](), ({ content }) => showControls(content) || '-', {
      as: 'strong',
      max: 30,
      mono: kind === 'coupons',
    }),
    column(t('Reason'), ({ message }) => tServed(message), { wraps: true }),
  ];
}

/** Shows each control character as the replacement character. */
export function showControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD');
}

type FailedRowsProps = { kind: CsvKind; errors: readonly RowError[]; count: number };

/** Shows the first of `count` rows that failed. */
function FailedRows({ kind, errors, count }: FailedRowsProps) {
  return (
    <>
      <DataTable
        plain
        caption={t('Failed rows')}
        columns={columnsOf(kind)}
        rows={errors.slice(0, SHOWN_ERRORS)}
        keyOf={({ row, message }) => `${row} ${message}`}
      />
      {count > SHOWN_ERRORS && (
        <p className="text-(length:--text-sm) py-2 px-6 text-ink-3 max-md:px-4.5">
          {t('and {count} more', { count: count - SHOWN_ERRORS })}
        </p>
      )}
    </>
  );
}

const FILES = {
  failed_rows: { of: getImportErrors, label: () => t('Download failed rows (CSV)') },
  duplicates: { of: getImportDuplicates, label: () => t('Download duplicates') },
  generated: { of: getImportGenerated, label: () => t('Download generated codes') },
};

/** The files of an import that has results. */
export function ResultFiles({ job: { id, kind, errors_count, results } }: { job: ImportState }) {
  return (
    <>
      {errors_count > 0 && <FileButton id={id} kind={kind} file="failed_rows" />}
      {results && results.duplicates > 0 && <FileButton id={id} kind={kind} file="duplicates" />}
      {results && results.generated > 0 && <FileButton id={id} kind={kind} file="generated" />}
    </>
  );
}

function FileButton({ id, kind, file }: { id: string; kind: CsvKind; file: keyof typeof FILES }) {
  const { busy, download } = useDownload();
  const { of, label } = FILES[file];
  const start = () => void download(`${kind}_${file}.csv`, pathOf(of, { id }));
  return (
    <Button size="sm" busy={busy} onClick={start} icon={Download}>
      {label()}
    </Button>
  );
}

/** Returns the ref of a title, which gets the focus when the result appears. */
function useNewsFocus({ job, isNew }: ShownUpload) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isNew) return;
    title.current?.focus();
    uploads.update(job, { isNew: false });
  }, [isNew, job]);
  return title;
}
