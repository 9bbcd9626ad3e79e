// Upload control for a CSV file. The file is chosen by click, by keyboard, or by drag and drop.
import type { BodyOf, CsvKind, ImportState } from '@portal/contract';
import { csvKinds, importCoupons, importProducts, importUsers } from '@portal/contract';
import { Download, FileCheck, FileText, FileUp, FileX, Upload as UploadIcon, X } from 'lucide-react';
import { type DragEvent, Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { type Call, call } from '../../api.ts';
import { getSessionState } from '../../auth.ts';
import { keepChoice, readChoice } from '../../sign-in/session.ts';
import { Button } from '../../ui/button.tsx';
import { CardBody } from '../../ui/card.tsx';
import { classes } from '../../ui/dom.ts';
import { Check } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Progress } from '../../ui/progress.tsx';
import { isolate } from '../../ui/text.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { formatNumber } from '../../words/format.ts';
import { t, tServed } from '../../words/translate.ts';
import { saveFile } from '../exports.tsx';
import { CancelJob, formatShare } from '../jobs.tsx';
import type { ShownUpload } from './follow.ts';
import { formatTimeLeft, toastRefused, uploads, useRunningUpload, useUpload } from './follow.ts';
import { FileQuestion } from './questions.tsx';
import { CheckCard, Summary } from './result.tsx';
import { type ImportOrder, runImport, type Upload } from './run-upload.ts';
import { UndoJob } from './undo.tsx';
import { formatFile, refuseUpload } from './words.ts';

/**
 * With a MIME type in `accept`, the file dialog also offers CSV files with another extension (R-VAL-13; codes: R-VAL-32).
 * `dropText` stands in the drop area, and `formatWaiting` above it while no product is chosen.
 */
const KINDS = {
  products: {
    send: importProducts,
    formatTitle: () => t('Bulk Upload Products'),
    accept: '.csv,text/csv',
    formatWaiting: () => '',
    dropText: () => t('Only .csv files'),
  },
  users: {
    send: importUsers,
    formatTitle: () => t('Bulk Upload Users'),
    accept: '.csv,text/csv',
    formatWaiting: () => t('Select products first'),
    dropText: (isReady: boolean) => {
      const columns = listColumnsOf('users').join(', ');
      return isReady
        ? t('Columns: {columns}', { columns })
        : t('then drop a .csv file with {columns}', { columns });
    },
  },
  coupons: {
    send: importCoupons,
    formatTitle: () => t('Bulk Upload Coupons'),
    accept: '.csv',
    formatWaiting: () => t('Select a product first'),
    dropText: (isReady: boolean) => (isReady ? t('Only .csv files') : t('then drop a .csv file here')),
  },
};

const listColumnsOf = (kind: CsvKind) => [...csvKinds[kind].required, ...csvKinds[kind].optional];

type BulkUploadProps<Kind extends CsvKind> = {
  kind: Kind;
  /** The fields of the call beside the file, such as the products for its rows. */
  body: Omit<BodyOf<(typeof KINDS)[Kind]['send']>, keyof Upload>;
  /** False until the products for the rows are chosen. */
  hasProduct?: boolean;
  /** See `ShownUpload`. */
  target?: string | null;
  /** Notes and fields, beside the drop area. */
  children?: ReactNode;
};

/** The content of the card of a bulk upload. */
export function BulkUpload<Kind extends CsvKind>({ kind, body, ...props }: BulkUploadProps<Kind>) {
  const { hasProduct = true, target = null, children } = props;
  const shown = useUpload(kind);
  const tell = useTell(t('One email to each person who gets a product they did not have.'));
  const told = kind === 'users' ? tell : null;
  const [updatesNames, setUpdatesNames] = useState(false);
  const names = kind === 'users' && updatesNames ? { update_names: true } : {};
  // The type of `body` depends on `kind`, which TypeScript does not follow into the call.
  const send = (upload: Upload) =>
    call<Call>(KINDS[kind].send, { body: { ...upload, ...told?.body, ...names, ...body } as never });
  return (
    <>
      <RefusedFile shown={shown} />
      <CardBody className="grid gap-5 lg:grid-cols-[repeat(2,minmax(0,1fr))]">
        <div className={STACK}>
          {children}
          {told?.tick}
          {kind === 'users' && (
            <Check
              label={t('Update names of people who are known')}
              hint={t('An empty name changes nothing.')}
              value={updatesNames}
              onChange={setUpdatesNames}
            />
          )}
          <SampleButton kind={kind} />
        </div>
        <CsvUpload kind={kind} hasProduct={hasProduct} target={target} shown={shown} send={send} />
      </CardBody>
    </>
  );
}

/** Props of the card of a bulk upload. */
export function uploadCard(kind: CsvKind) {
  const { send, formatTitle } = KINDS[kind];
  return { name: 'upload', title: formatTitle(), to: send } as const;
}

/** Returns 'upload' while the card of a bulk upload shows more than its fields: the progress or a refused file. */
export function useNeededCard(kind: CsvKind): 'upload' | undefined {
  const shown = useUpload(kind);
  const { state } = shown?.job ?? {};
  return shown?.question === null && (state === 'running' || state === 'refused') ? 'upload' : undefined;
}

/** Below the cards: a file that waits for an answer, and how the last upload ended. */
export function UploadOutcome({ kind }: { kind: CsvKind }) {
  useRunningUpload(kind);
  useRefusedDrops();
  const shown = useUpload(kind);
  return (
    <>
      <UndoJob />
      {shown && <Outcome shown={shown} />}
    </>
  );
}

const STACK = 'flex flex-col gap-4 h-full';

/** The id of the file input, which `RefusedFile` clicks to open the file dialog. */
const fileInputId = (kind: CsvKind) => `${kind}-file`;

/** Placeholder for `refuseUpload`: when the file input is clicked, no file is chosen yet. */
const NO_FILE_YET = { name: '.csv', type: 'text/csv', size: 0 };

type CsvUploadProps = Pick<ImportOrder, 'kind' | 'target' | 'send'> & {
  hasProduct: boolean;
  shown: ShownUpload | undefined;
};

function CsvUpload({ kind, hasProduct, target, shown, send }: CsvUploadProps) {
  const [reading, setReading] = useState<'import' | 'check' | null>(null);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const inputId = fileInputId(kind);
  // True if the button that only checks a file has opened the file dialog.
  const isCheck = useRef(false);
  // A file with a question is not sent yet.
  const running = shown?.question === null && shown.job.state === 'running' ? shown : null;
  const busy = running !== null || (reading !== null && !shown?.question);
  // React has no prop for the event `cancel`: the file dialog was closed without a file.
  useEffect(() => {
    const element = input.current;
    const forget = () => {
      isCheck.current = false;
      if (element) element.accept = KINDS[kind].accept;
    };
    element?.addEventListener('cancel', forget);
    return () => element?.removeEventListener('cancel', forget);
  });

  const take = async (file: File | undefined) => {
    const checks = isCheck.current;
    isCheck.current = false;
    if (!file || busy) return;
    const signedIn = getSessionState().status === 'signed-in';
    const refusal = refuseUpload({ kind, hasProduct, file, signedIn, isCheck: checks });
    const check = () => run(file, true);
    if (refusal) {
      const mayCheck = !checks && !refuseUpload({ kind, hasProduct, file, signedIn, isCheck: true });
      return toastRefused(kind, file.name, refusal, mayCheck ? { check } : {});
    }
    await run(file, checks);
  };
  const run = async (file: File, checks: boolean) => {
    setReading(checks ? 'check' : 'import');
    await runImport({ kind, file, isCheck: checks, target, send });
    setReading(null);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const dragOver = (event: DragEvent) => {
    event.preventDefault();
    setOver(hasProduct);
  };
  const choose = (checks: boolean) => {
    isCheck.current = checks;
    // Only a check reads workbooks (N-120).
    if (input.current) input.current.accept = checks ? `${KINDS[kind].accept},.xlsx` : KINDS[kind].accept;
    input.current?.click();
  };
  // R-ACPN-21.
  const waits = kind === 'coupons' && !hasProduct && !busy;
  const imports = busy && !(running ? running.job.checking : reading === 'check');
  return (
    <div className={STACK}>
      {running ? (
        <ImportProgress upload={running} />
      ) : (
        <label
          htmlFor={inputId}
          className={classes(
            'flex-1 grid content-center justify-items-center gap-1 min-h-32 py-5.5 px-4 border-[1.5px] border-dashed rounded-lg text-sm text-center transition-[background-color,border-color] has-[:focus-visible]:[outline:2px_solid_var(--focus)] has-[:focus-visible]:outline-offset-2',
            !hasProduct && 'border-line-strong bg-sunken text-ink-3 cursor-not-allowed',
            hasProduct && 'text-ink-2 cursor-pointer',
            hasProduct && (over ? 'border-accent-graphic bg-accent-soft' : 'border-line-control'),
          )}
          onDragOver={dragOver}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <Icon of={FileUp} size={24} className="mb-1.5 text-ink-3" />
          <strong className={classes('font-medium', hasProduct && 'text-ink')}>
            {hasProduct ? t('Drop a CSV file here') : KINDS[kind].formatWaiting()}
          </strong>
          <span>{KINDS[kind].dropText(hasProduct)}</span>
          {/* Not in the tab order: keyboard users press the button below. */}
          <input
            ref={input}
            id={inputId}
            type="file"
            className="sr-only"
            tabIndex={-1}
            accept={KINDS[kind].accept}
            onClick={(event) => {
              // If no product is selected, an error is shown and the file dialog does not open.
              const refusal = refuseUpload({ kind, hasProduct, file: NO_FILE_YET, signedIn: true });
              if (!refusal) return;
              event.preventDefault();
              showToast(refusal);
            }}
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              // Clears the input, so that the same file can be selected again (R-ACPN-31).
              event.target.value = '';
              event.target.accept = KINDS[kind].accept;
              void take(file);
            }}
          />
        </label>
      )}
      {/* Always on the page, because screen readers announce only texts that appear in an existing element. */}
      <p className="sr-only" role="status">
        {running && formatQuarter(running.job)}
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          busy={imports}
          disabled={waits || (busy && !imports)}
          onClick={() => choose(false)}
          icon={UploadIcon}
        >
          {imports ? t('Uploading...') : t('Select CSV File')}
        </Button>
        {!imports && (
          <Button busy={busy} disabled={waits} onClick={() => choose(true)} icon={FileCheck}>
            {busy ? t('Checking...') : t('Check File First')}
          </Button>
        )}
        {/* Before the server has received the whole file, there is no import to cancel. */}
        {running && running.job.rows_total > 0 && (
          <CancelJob
            id={running.job.id}
            label={running.job.checking ? t('Cancel check') : t('Cancel import')}
          />
        )}
        {busy && (
          <span className="text-sm text-ink-3">
            {imports
              ? t('You can leave this page. The import continues.')
              : t('You can leave this page. The check continues.')}
          </span>
        )}
      </div>
    </div>
  );
}

/** Prevents the drop of a file outside the drop area: the browser would open the file and leave the page. */
function useRefusedDrops(): void {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'none';
    };
    const listening = new AbortController();
    window.addEventListener('dragover', refuse, { signal: listening.signal });
    window.addEventListener('drop', refuse, { signal: listening.signal });
    return () => listening.abort();
  }, []);
}

/** Takes the place of the drop area while an import runs. */
function ImportProgress({ upload }: { upload: ShownUpload }) {
  const { job, sizeBytes } = upload;
  const { checking, waits, rows_done, rows_total } = job;
  const fileName = formatFile(job);
  const progress =
    rows_total > 0
      ? t('{done} of {total} rows', { done: rows_done, total: rows_total })
      : t('Reading the file');
  const words = waits ? t('Waiting for another file') : progress;
  const timeLeft = formatTimeLeft(upload, Date.now());
  return (
    <div className="text-(length:--text-sm) flex-1 grid content-center gap-3 min-h-32 pt-4.5 px-4.5 pb-4 border border-line rounded-lg tabular-nums text-ink-2">
      <div className="flex items-center gap-3 min-w-0 text-sm">
        <Icon of={FileText} className="text-ink-3" />
        <span className="text-sm truncate font-medium tracking-normal text-ink" title={fileName}>
          {fileName}
        </span>
        {sizeBytes !== null && <span className="whitespace-nowrap text-ink-3">{formatSize(sizeBytes)}</span>}
        {rows_total > 0 && (
          <span className="ml-auto font-medium text-ink">
            {formatShare(Math.floor((rows_done / rows_total) * 100) / 100)}
          </span>
        )}
      </div>
      <Progress
        label={
          checking ? t('Check of {file}', { file: fileName }) : t('Import of {file}', { file: fileName })
        }
        done={rows_done}
        total={rows_total}
        words={words}
      />
      <p aria-hidden="true">
        {words}
        {timeLeft && ` · ${timeLeft}`}
      </p>
    </div>
  );
}

function formatSize(bytes: number): string {
  const kilobytes = bytes / 1024;
  if (kilobytes < 1024) return `${formatNumber(Math.max(1, Math.round(kilobytes)))} KB`;
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${formatNumber(kilobytes / 1024, digits)} MB`;
}

/** For screen readers: an import's start, and when 25, 50 and 75 % of its rows are done. A toast shows the end. */
function formatQuarter(job: ImportState): string {
  const { checking, rows_done, rows_total } = job;
  const quarters = rows_total > 0 ? Math.floor((rows_done / rows_total) * 4) : 0;
  const words = { file: formatFile(job), share: formatShare(quarters / 4) };
  if (quarters === 0)
    return checking
      ? t('The check of {file} has started', words)
      : t('The import of {file} has started', words);
  return checking
    ? t('The check of {file} is {share} done', words)
    : t('The import of {file} is {share} done', words);
}

/** Shows why the last file was refused, until the user dismisses it or selects another file. */
export function RefusedFile({ shown }: { shown: ShownUpload | undefined }) {
  const refused = shown?.job.state === 'refused' ? shown.job : null;
  // A file that was refused before this page was opened is not announced by screen readers again.
  const [seen] = useState(refused?.id);
  if (!refused) return null;
  const { id, kind, reason } = refused;
  const input = () => document.getElementById(fileInputId(kind));
  const dismiss = () => {
    uploads.hide(refused);
    input()?.focus();
  };
  return (
    <div
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 mt-5 mx-6 max-md:mt-4.5 max-md:mx-4.5 pt-3.75 pr-2.5 pb-4 pl-4 bg-danger-soft border border-danger-line rounded-md text-sm wrap-anywhere"
      role={id === seen ? undefined : 'alert'}
    >
      <Icon of={FileX} className="text-danger-text" />
      <div>
        <h3 className="text-md/5 text-danger-text">
          {t('{file} was not imported', { file: isolate(formatFile(refused)) })}
        </h3>
        <p className="mt-0.75 mb-3 max-w-[68ch]">{tServed(reason ?? '')}</p>
        {shown?.check && (
          <Button size="sm" className="me-2 mb-1" onClick={() => void shown.check?.()} icon={FileCheck}>
            {t('Check this Excel file')}
          </Button>
        )}
        <Button
          size="sm"
          className="bg-transparent! border-danger-text/45!"
          onClick={() => input()?.click()}
          icon={UploadIcon}
        >
          {t('Select CSV File')}
        </Button>
      </div>
      <Button
        size="sm"
        look="ghost"
        className="-my-1.5 px-2! text-danger-text!"
        aria-label={t('Dismiss')}
        onClick={dismiss}
        icon={X}
      />
    </div>
  );
}

/** A file that waits for an answer, was checked or was imported. */
function Outcome({ shown }: { shown: ShownUpload }) {
  const { job, question } = shown;
  if (question) return <FileQuestion shown={shown} question={question} />;
  if (job.state === 'checked') return <CheckCard key={job.id} shown={shown} />;
  return job.results && job.state !== 'running' ? <Summary key={job.id} shown={shown} /> : null;
}

/** R-APROD-06, R-AUSER-06, R-ACPN-12, R-ACPN-13. */
function SampleButton({ kind }: { kind: CsvKind }) {
  const { name, text } = csvKinds[kind].sample;
  return (
    <Button
      size="sm"
      look="ghost"
      className="-ms-3 self-start"
      onClick={() => saveFile(name, new Blob([text], { type: 'text/csv' }))}
      icon={Download}
    >
      {t('Download Sample CSV')}
    </Button>
  );
}

/** Returns a check box for mails to the people, and its choice as a request body. The browser keeps it (R-INV-01). */
export function useTell(hint: string) {
  const [tell, setTell] = useState(() => readChoice('tellByMail') !== null);
  const choose = (value: boolean) => {
    keepChoice('tellByMail', value ? 'yes' : null);
    setTell(value);
  };
  const tick = <Check label={t('Tell them by email')} hint={hint} value={tell} onChange={choose} />;
  return { body: tell ? { tell: true } : {}, tick };
}

/** Notes about the file of an upload. The first one lists its columns. */
export function ColumnNotes({ kind, children }: { kind: CsvKind; children?: ReactNode }) {
  return (
    <Notes>
      <Note>
        {t('Columns:')}{' '}
        {listColumnsOf(kind).map((name) => (
          <Fragment key={name}>
            <ColumnName name={name} />{' '}
          </Fragment>
        ))}
      </Note>
      {children}
    </Notes>
  );
}

export function Notes({ children }: { children: ReactNode }) {
  return <ul className="grid gap-1 text-sm text-ink-2">{children}</ul>;
}

export function Note({ children }: { children: ReactNode }) {
  return (
    <li className="grid grid-cols-[0.875rem_1fr] before:size-1 before:mt-2 before:rounded-full before:bg-(--n-7) forced-colors:before:bg-[CanvasText]">
      <span>{children}</span>
    </li>
  );
}

export function ColumnName({ name }: { name: string }) {
  return (
    <code className="py-px px-1 rounded-[3px] bg-neutral-3 font-mono text-(length:--text-xs) text-ink">
      {name}
    </code>
  );
}
