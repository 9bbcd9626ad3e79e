// The pages about uploads of codes: the list, and one upload with its counts and actions (R-LIFE-18, R-LIFE-19, R-LIFE-33).
import {
  type Batch,
  type BatchActState,
  type BatchRecord,
  type CouponState,
  dayField,
  getBatch,
  getImport,
  type ImportState,
  importCoupons,
  type JobState,
  listBatches,
  listImports,
  orNull,
  setBatchUseBy,
  type VoidReason,
  voidBatch,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Ban, CalendarClock, type LucideIcon, Undo2, Upload as UploadIcon } from 'lucide-react';
import { useId, useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { call } from '../../api.ts';
import { fetchNow } from '../../queries.ts';
import { Button, buttonClass, OFF_BUTTON } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { FilterSelect } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { classes, focusMain } from '../../ui/dom.ts';
import { DateField } from '../../ui/field.tsx';
import { Icon, Skeleton } from '../../ui/icon.tsx';
import { ShareBar } from '../../ui/progress.tsx';
import type { Column } from '../../ui/table.tsx';
import { formatNumber } from '../../words/format.ts';
import { t, tCount } from '../../words/translate.ts';
import { importQuery, openUpload } from '../files/follow.ts';
import { listBatchColumns, listUploadColumns, listUploadWords, UPLOAD_ROWS } from '../files/lists.tsx';
import { FailedActions, ResultFiles } from '../files/result.tsx';
import { VoidDialog } from '../files/undo.tsx';
import { formatStopped, listNotes, tallyOf } from '../files/words.ts';
import { useDialogForm } from '../form.tsx';
import { AdminFrame, FactLink, Facts, NothingHerePage, RecordPage } from '../frame.tsx';
import { JobCard, useJob } from '../jobs.tsx';
import { type List, ListCard, RowLink, useList, useListState } from '../list.tsx';
import { CODES_PATH, formatState, UPLOADS_PATH } from '../nouns/code.tsx';
import { listProductColumn, useProductNames, useProducts } from '../nouns/product.tsx';
import {
  fileNameOf,
  formatActionStopped,
  formatCodes,
  formatCountChanged,
  formatDated,
  formatLastDay,
  formatOutcome,
  formatRunning,
} from '../nouns/upload.ts';
import { RoleGate, useMay } from '../role.tsx';
import { formatDayAndTime, today } from '../time.ts';

export function UploadsPage() {
  return (
    <RoleGate to={listBatches} otherwise={<NothingHerePage title={t('Coupons')} tabTitle={t('Uploads')} />}>
      <AdminFrame
        title={t('Coupons')}
        tabTitle={t('Uploads')}
        aside={
          <RoleGate to={importCoupons}>
            <Link href={`${CODES_PATH}?open=upload`} className={buttonClass({ look: 'primary', size: 'sm' })}>
              <Icon of={UploadIcon} size={16} />
              {t('Upload codes')}
            </Link>
          </RoleGate>
        }
      >
        <RoleGate to={getImport} otherwise={<BatchList />}>
          <FileList />
        </RoleGate>
      </AdminFrame>
    </RoleGate>
  );
}

const FILTERS = ['product_id'];

/** For roles that may not read imports: the uploads without their states. */
function BatchList() {
  const list = useListState(FILTERS);
  return (
    <UploadsCard<Batch>
      sub={t('Files of codes, newest first.')}
      list={list}
      {...useList(listBatches, list)}
      of={['coupons', 'products']}
      columns={listBatchColumns()}
    />
  );
}

/** The files of codes of 90 days with their states (N-104). */
function FileList() {
  const [, navigate] = useLocation();
  const list = useListState(FILTERS);
  const files = useList(listImports, {
    ...list,
    state: { ...list.state, filters: { ...list.state.filters, kind: 'coupons' } },
  });
  const open = (row: ImportState) => {
    void openUpload(row);
    navigate(CODES_PATH);
  };
  // An upload whose codes have a page leads there. Any other upload is shown on the page Codes.
  const columns = listUploadColumns(open, ({ batch_id, state }, words) =>
    batch_id === null || state === 'running' ? undefined : (
      <RowLink href={`${UPLOADS_PATH}/${batch_id}`} words={words} />
    ),
  );
  return (
    <UploadsCard
      sub={t('Files of the last 90 days. Open one to void unused codes or to set their last day.')}
      list={list}
      {...files}
      of={[listImports, 'products']}
      columns={columns}
      className={UPLOAD_ROWS}
    />
  );
}

type UploadsCardProps<Row> = Pick<Parameters<typeof ListCard<Row>>[0], 'sub' | 'query' | 'page' | 'of'> & {
  list: List;
  className?: string;
  /** The columns except the product's column, which is inserted after the first one. */
  columns: [Column<Row>, ...Column<Row>[]];
};
type UploadRow = { id: string; product_id: string | null };

function UploadsCard<Row extends UploadRow>({ columns, className, ...props }: UploadsCardProps<Row>) {
  const { list, page } = props;
  const [file, ...others] = columns;
  const may = useMay();
  const { options } = useProducts();
  const { names, isPending } = useProductNames(page.rows);
  return (
    <ListCard<Row>
      {...props}
      title={t('Uploads')}
      lacksNames={isPending}
      words={{
        ...listUploadWords(),
        empty: may(importCoupons)
          ? t('No uploads found. Upload a file of codes on the page Codes.')
          : t('No uploads found.'),
        noMatch: t('No uploads match.'),
        emptyPage: t('There are no uploads on this page.'),
        showAll: t('Show all uploads'),
      }}
      filters={
        <FilterSelect
          label={t('Only uploads of')}
          value={list.state.filters.product_id ?? ''}
          options={[{ value: '', label: t('All products') }, ...options]}
          onChange={(value) => list.filter('product_id', value)}
        />
      }
      table={{
        caption: t('Uploads'),
        columns: [file, listProductColumn(names), ...others],
        keyOf: ({ id }) => id,
        className,
      }}
    />
  );
}

export function UploadPage() {
  const { id = '' } = useParams();
  const isLoading = useProducts().query.isPending;
  return (
    <RecordPage
      of={getBatch}
      id={id}
      isLoading={isLoading}
      nothing={{ title: t('Coupons'), tabTitle: t('Uploads') }}
      back={{ href: UPLOADS_PATH, label: t('Uploads') }}
      title={t('Upload')}
      loading={t('Loading the upload...')}
      notLoaded={t('We could not load the upload.')}
      unknown={{
        heading: t('Upload not found'),
        words: <span className="text-ink-2">{t('There is no upload at this address.')}</span>,
      }}
      frame={(upload) => ({ title: fileNameOf(upload) })}
      timeline={{ batch_id: id }}
    >
      {(upload) => <Upload upload={upload} />}
    </RecordPage>
  );
}

function Upload({ upload }: { upload: BatchRecord }) {
  const { job: action, isRunning, follow, dismiss } = useJob(BATCH_ACTS, upload.running_job);
  return (
    <>
      {action && <ActionCard action={action} onDismiss={dismiss} />}
      <UploadCounts upload={upload} />
      <UploadFacts upload={upload} />
      <RoleGate to={getImport}>
        <UploadFiles importId={upload.import_id} />
      </RoleGate>
      <RoleGate to={voidBatch}>
        <UploadActions
          upload={upload}
          runningKind={isRunning ? (action?.kind ?? 'void') : null}
          onStarted={follow}
        />
      </RoleGate>
    </>
  );
}

/** The card takes the whole width where the card with the imported rows is absent. */
function UploadFacts({ upload }: { upload: BatchRecord }) {
  const { product_id, created_at, created_by, import_id } = upload;
  const may = useMay();
  const { names, isPending } = useProductNames([upload]);
  const name = names.get(product_id) ?? (isPending ? t('Loading...') : product_id);
  return (
    <Card
      title={t('About this upload')}
      className={may(getImport) && import_id !== null ? 'lg:col-span-6' : undefined}
    >
      <CardBody>
        <Facts
          of={{
            [t('Product')]: <FactLink href={`/admin/products/${product_id}`}>{name}</FactLink>,
            [t('Uploaded')]: formatDayAndTime(created_at),
            [t('By')]: created_by,
          }}
        />
      </CardBody>
    </Card>
  );
}

/** The states of codes, each with the class of its mark and its meaning. `formatState` returns the label. */
const listStates = (): [CouponState, dot: string, meaning: string][] => [
  ['free', 'before:bg-line-strong', t('in the pool')],
  ['held', 'before:bg-accent-graphic', t('stay with their holders')],
  ['revoked', 'before:bg-danger', t('taken back from one person')],
  [
    'void',
    'before:[background:repeating-linear-gradient(115deg,var(--n-6)_0_2px,var(--n-4)_2px_5px)]',
    t('will not be handed out'),
  ],
  ['expired', 'before:bg-line-control', t('last day has come')],
];

/** The order of the states in the bar. Codes that were handed out, `held` and `revoked`, come first. */
const SHARES = ['held', 'revoked', 'free', 'void', 'expired'] as const;

function UploadCounts({ upload }: { upload: BatchRecord }) {
  const words = t(
    '{free} available, {held} assigned, {revoked} revoked, {void} void, {expired} expired',
    upload,
  );
  return (
    <Card title={formatCodes(upload.codes)} sub={formatLastDay(upload)}>
      {upload.moved > 0 && (
        <p className="text-sm pt-0.5 px-6 pb-0 text-ink-3 max-md:px-4.5">
          {tCount(upload.moved, {
            one: '{count} more code was uploaded again and belongs to the newer upload.',
            other: '{count} more codes were uploaded again and belong to the newer upload.',
          })}
        </p>
      )}
      <div className="pt-4.5 px-6 pb-5.5 border-b border-line max-md:px-4.5">
        <ShareBar label={words} shares={SHARES.map((state) => ({ tone: state, count: upload[state] }))} />
      </div>
      <dl className="grid grid-cols-2 md:grid-cols-5">
        {listStates().map(([state, dot, meaning]) => (
          <div
            key={state}
            className="py-3.5 px-4.5 border-line md:pt-4.5 md:px-6 md:pb-5 md:not-first:border-l max-md:even:border-l max-md:nth-[n+3]:border-t max-md:last:col-span-full"
          >
            <dt
              className={classes(
                'flex items-center gap-1.75 text-sm text-ink-2 before:flex-none before:size-2 before:rounded-[2px] forced-colors:before:forced-color-adjust-none',
                dot,
              )}
            >
              {formatState(state)}
            </dt>
            <dd className="text-2xl/9 font-semibold tracking-tight tabular-nums">
              {formatNumber(upload[state])}
            </dd>
            <dd className="text-sm tabular-nums tracking-[0] text-ink-3">{meaning}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** The result of the import with its files (R-IMP-16). `importId` is null if the codes came without a file. */
function UploadFiles({ importId }: { importId: string | null }) {
  const { data, isLoading } = useQuery({ ...importQuery(importId ?? ''), enabled: importId !== null });
  const [, navigate] = useLocation();
  if (isLoading)
    return (
      <Card title={t('Imported rows')} className="lg:col-span-6">
        <CardBody>
          {/* As high as three counts and a button. */}
          <Skeleton className="h-41" />
        </CardBody>
      </Card>
    );
  if (!data?.results) return null;
  const notes = [formatStopped(data), ...listNotes(data)].filter((note) => note !== null);
  const showProgress = () => {
    void openUpload(data);
    navigate(CODES_PATH);
  };
  return (
    <Card title={t('Imported rows')} className="lg:col-span-6">
      <CardBody className="flex flex-col gap-4 h-full">
        <Facts
          of={Object.fromEntries(
            tallyOf(data.kind, data.results).map(({ label, count }) => [label, formatNumber(count)]),
          )}
        />
        {notes.map((note) => (
          <p key={note} className="text-sm text-ink-3">
            {note}
          </p>
        ))}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 empty:hidden">
          <ResultFiles job={data} />
          {data.state === 'failed' && (
            <FailedActions state={data} onRetried={showProgress} onCancelled={focusMain} />
          )}
        </div>
      </CardBody>
    </Card>
  );
}

function ActionCard({ action, onDismiss }: { action: BatchActState; onDismiss: () => void }) {
  const { kind, rows_done, rows_total } = action;
  const reason = kind === 'void' ? action.void_reason : null;
  const why: Record<VoidReason, string> = {
    mistake: t('The upload was a mistake.'),
    dead: t('These codes must not be used any more.'),
  };
  return (
    <JobCard
      job={action}
      kind={BATCH_ACTS}
      icon={kind === 'void' ? Ban : CalendarClock}
      title={formatRunning(action)}
      why={reason ? why[reason] : ''}
      words={t('{done} of {total} codes', { done: rows_done, total: rows_total })}
      next={reason === 'mistake' ? t('Upload the codes again and they count as new.') : undefined}
      onDismiss={onDismiss}
    />
  );
}

const BATCH_ACTS = {
  pick: (state: JobState): BatchActState | undefined =>
    state.kind === 'void' || state.kind === 'use_by' ? state : undefined,
  formatOutcome,
  formatStopped: formatActionStopped,
  changes: 'coupons',
} as const;

/** `mistake` takes the upload back: its unused codes become void, but may be uploaded again. */
type Asked = BatchActState['kind'] | 'mistake';

type UploadActionsProps = {
  upload: BatchRecord;
  /** Kind of the action that is running on this upload; null if no action is running. */
  runningKind: BatchActState['kind'] | null;
  /** Called with the id of the action's job, after the server has started the job. */
  onStarted: (job: string) => void;
};

function UploadActions(props: UploadActionsProps) {
  const { upload, runningKind, onStarted } = props;
  const [asked, setAsked] = useState<Asked | null>(null);
  const reasonId = useId();
  const close = () => setAsked(null);
  const dialog = {
    upload,
    onStarted: (job: string) => {
      close();
      onStarted(job);
    },
    onCancel: close,
  };
  const reason = formatDisabled(props);
  const actions: { kind: Asked; icon: LucideIcon; label: string; words: string; codes: number }[] = [
    {
      kind: 'use_by',
      icon: CalendarClock,
      label: t('Set last day'),
      words: t('The last day a code works. It changes the available codes only.'),
      codes: upload.datable,
    },
    {
      kind: 'void',
      icon: Ban,
      label: t('Void unused codes'),
      words: t('For a wrong file, or codes that the partner withdrew. What was handed out stays.'),
      codes: upload.free,
    },
    {
      kind: 'mistake',
      icon: Undo2,
      label: t('Take back this upload'),
      words: t('For an upload that was a mistake. The codes may be uploaded again.'),
      codes: upload.free,
    },
  ];
  return (
    <Card title={t('Change this upload')}>
      <CardBody>
        <ul>
          {actions.map(({ kind, icon, label, words, codes }) => {
            const isDisabled = runningKind !== null || codes === 0;
            return (
              <li
                key={kind}
                className="flex items-center justify-between gap-6 py-3.5 border-t border-line last:pb-0 max-md:flex-col max-md:items-stretch max-md:gap-2.5"
              >
                <div>
                  <b className="font-medium">{label}</b>
                  <p className="text-sm text-ink-3">{words}</p>
                </div>
                {/* Not `disabled`: when the action starts, the button has the focus, and must keep it. */}
                <Button
                  size="sm"
                  icon={icon}
                  className={classes('flex-none min-w-46', OFF_BUTTON)}
                  aria-disabled={isDisabled}
                  aria-describedby={isDisabled && reason ? reasonId : undefined}
                  onClick={isDisabled ? undefined : () => setAsked(kind)}
                >
                  {label}
                </Button>
              </li>
            );
          })}
        </ul>
        {reason && (
          <p id={reasonId} className="text-sm text-ink-3 mt-3">
            {reason}
          </p>
        )}
      </CardBody>
      {asked === 'void' && <VoidDialog {...dialog} />}
      {asked === 'mistake' && <VoidDialog isMistake {...dialog} />}
      {asked === 'use_by' && <UseByDialog {...dialog} />}
    </Card>
  );
}

/** Returns why an action is not possible now, or undefined if all are possible. */
function formatDisabled({ upload: { free }, runningKind }: UploadActionsProps): string | undefined {
  if (runningKind === 'void') return t('Off while codes are being voided.');
  if (runningKind === 'use_by') return t('Off while the last day is being set.');
  return free === 0 ? t('No code of this upload is unused.') : undefined;
}

type ActionDialogProps = Omit<Parameters<typeof VoidDialog>[0], 'isMistake'>;

const useByField = orNull(dayField('use_by'));

/** The last day as the field shows it, and as it `was` when the dialog opened. */
function lastDayOf({ use_by, use_by_mixed }: BatchRecord) {
  return { day: use_by ?? '', was: { use_by, use_by_mixed } };
}

function UseByDialog({ upload, onStarted, onCancel }: ActionDialogProps) {
  const { id, held, free, datable } = upload;
  // No code is given out on its last day. So with today or an earlier day, available codes expire, and no others change.
  // A later day, or no day, also makes expired codes available again.
  const isOverOn = (day: string) => day !== '' && day <= today();
  const form = useDialogForm({
    start: lastDayOf(upload),
    check: ({ day }) => (useByField.safeParse(day).success ? {} : { day: t('Enter a complete day') }),
    send: ({ day, was }, expected) =>
      call(setBatchUseBy, { params: { id }, body: { use_by: useByField.parse(day), expected, was } }),
    counted: ({ day }) => ({
      shown: isOverOn(day) ? free : datable,
      about: isOverOn(day) ? 'available' : 'available and expired',
      formatChange: formatCountChanged,
    }),
    failed: t('Failed to set the last day'),
    loadNewer: async () => lastDayOf(await fetchNow(getBatch, { id })),
    onDone: ({ job_id }) => onStarted(job_id),
    changes: ['coupons'],
  });
  const { field, count } = form;
  const isOver = isOverOn(form.values.day);
  return (
    <ConfirmDialog
      title={t('Set last day')}
      words={formatDated(count, held)}
      confirm={tCount(count, { one: 'Set last day of {count} code', other: 'Set last day of {count} codes' })}
      action={form}
      onCancel={onCancel}
    >
      <DateField
        {...field('day')}
        label={t('Last day')}
        hint={t('The last day the partner accepts the code. Empty: no last day.')}
      />
      {isOver && <p role="status">{t('This day is not in the future. The codes will expire.')}</p>}
      {!isOver && datable > free && (
        <p role="status">{t('Codes that have expired become available again.')}</p>
      )}
    </ConfirmDialog>
  );
}
