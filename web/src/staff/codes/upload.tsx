// The page of one upload of codes. It shows how many of its codes are in each state, and the actions on the unused
// codes (R-LIFE-33).
import {
  type BatchActState,
  type BatchRecord,
  type CouponState,
  getBatch,
  getImport,
  type JobState,
  listAudit,
  type VoidReason,
  voidBatch,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Ban, CalendarClock } from 'lucide-react';
import { useLocation } from 'wouter';
import { isNotFound } from '../../api.ts';
import { productQuery, queryOf } from '../../queries.ts';
import { Card, CardBody } from '../../ui/card.tsx';
import { classes, focusMain } from '../../ui/dom.ts';
import { ShareBar } from '../../ui/progress.tsx';
import { sayDayAndTime, sayNumber } from '../../words/format.ts';
import { say, sayCount } from '../../words/say.ts';
import { FileButton } from '../files/failed-rows.tsx';
import { openUpload } from '../files/follow.ts';
import { FailedActs } from '../files/result.tsx';
import { sayDifference, sayGenerated, sayIgnored, sayNoNames, sayStopped, tallyOf } from '../files/words.ts';
import { AdminFrame, Fact, FactLink, Facts, PageState } from '../frame.tsx';
import { JobCard, useJob } from '../jobs.tsx';
import { Timeline } from '../log/timeline.tsx';
import { CODES_PATH, UPLOADS_PATH } from '../nouns/code.tsx';
import { fileNameOf, sayActStopped, sayCodes, sayLastDay, sayOutcome, sayRunning } from '../nouns/upload.ts';
import { RoleGate, useMay } from '../role.tsx';
import { UploadActs } from './upload-acts.tsx';

export function UploadPage({ id }: { id: string }) {
  const query = useQuery(queryOf(getBatch, { id }));
  const unloaded = isNotFound(query.error) ? say('Upload not found') : say('Upload');
  const title = query.data ? fileNameOf(query.data) : unloaded;
  return (
    <AdminFrame title={title} back={{ href: UPLOADS_PATH, label: say('Uploads') }}>
      {query.data ? (
        <Upload upload={query.data} />
      ) : (
        <div className="text-ink-2">
          <PageState
            query={query}
            loading={say('Loading the upload...')}
            unknown={say('There is no upload at this address.')}
            notLoaded={say('We could not load the upload.')}
          />
        </div>
      )}
    </AdminFrame>
  );
}

function Upload({ upload }: { upload: BatchRecord }) {
  const { job: act, isRunning, follow, dismiss } = useJob(BATCH_ACTS, upload.running_job);
  return (
    <>
      {act && <ActCard act={act} onDismiss={dismiss} />}
      <UploadFigures upload={upload} />
      <UploadFacts upload={upload} />
      <RoleGate to={voidBatch}>
        <UploadActs
          upload={upload}
          runningKind={isRunning ? (act?.kind ?? 'void') : null}
          onStarted={follow}
        />
      </RoleGate>
      <RoleGate to={getImport}>
        <UploadFiles importId={upload.import_id} />
      </RoleGate>
      <RoleGate to={listAudit}>
        <Timeline subject={{ batch_id: upload.id }} />
      </RoleGate>
    </>
  );
}

/** The card takes the whole width where the card with the actions is absent. */
function UploadFacts({ upload: { product_id, created_at, created_by } }: { upload: BatchRecord }) {
  const may = useMay();
  const { data: product } = useQuery(productQuery(product_id));
  return (
    <Card title={say('About this upload')} className={may(voidBatch) ? 'lg:col-span-6' : undefined}>
      <CardBody>
        <Facts>
          <Fact label={say('Product')}>
            <FactLink href={`/admin/products/${product_id}`}>{product?.name ?? say('Loading...')}</FactLink>
          </Fact>
          <Fact label={say('Uploaded')}>{sayDayAndTime(created_at)}</Fact>
          <Fact label={say('By')}>{created_by}</Fact>
        </Facts>
      </CardBody>
    </Card>
  );
}

type Figure = { state: CouponState; label: string; meaning: string };

const listFigures = (): Figure[] => [
  { state: 'free', label: say('Available'), meaning: say('in the pool') },
  { state: 'held', label: say('Assigned'), meaning: say('stay with their holders') },
  { state: 'revoked', label: say('Revoked'), meaning: say('taken back from one person') },
  { state: 'void', label: say('Void'), meaning: say('will not be handed out') },
  { state: 'expired', label: say('Expired'), meaning: say('last day has come') },
];

const DOTS = {
  free: 'before:bg-line-strong',
  held: 'before:bg-accent-graphic',
  revoked: 'before:bg-danger',
  void: 'before:[background:repeating-linear-gradient(115deg,var(--n-6)_0_2px,var(--n-4)_2px_5px)]',
  expired: 'before:bg-line-control',
};

/** The order of the states in the bar. Codes that were handed out, `held` and `revoked`, come first. */
const SHARES = ['held', 'revoked', 'free', 'void', 'expired'] as const;

function UploadFigures({ upload }: { upload: BatchRecord }) {
  const figures = listFigures();
  const words = say('{free} available, {held} assigned, {revoked} revoked, {void} void, {expired} expired', {
    free: sayNumber(upload.free),
    held: sayNumber(upload.held),
    revoked: sayNumber(upload.revoked),
    void: sayNumber(upload.void),
    expired: sayNumber(upload.expired),
  });
  return (
    <Card title={sayCodes(upload.codes)} sub={sayLastDay(upload)}>
      {upload.moved > 0 && (
        <p className="text-sm pt-0.5 px-6 pb-0 text-ink-3 max-md:px-4.5">{sayMoved(upload.moved)}</p>
      )}
      <div className="pt-4.5 px-6 pb-5.5 border-b border-line max-md:px-4.5">
        <ShareBar label={words} shares={SHARES.map((state) => ({ tone: state, count: upload[state] }))} />
      </div>
      <dl className="grid grid-cols-2 md:grid-cols-5">
        {figures.map(({ state, label, meaning }) => (
          <div
            key={state}
            className="py-3.5 px-4.5 border-line md:pt-4.5 md:px-6 md:pb-5 md:not-first:border-l max-md:even:border-l max-md:nth-[n+3]:border-t max-md:last:col-span-full"
          >
            <dt
              className={classes(
                'flex items-center gap-1.75 text-sm text-ink-2 before:flex-none before:size-2 before:rounded-[2px] forced-colors:before:forced-color-adjust-none',
                DOTS[state],
              )}
            >
              {label}
            </dt>
            <dd className="text-2xl/9 font-semibold tracking-tight tabular-nums">
              {sayNumber(upload[state])}
            </dd>
            <dd className="text-sm tabular-nums tracking-[0] text-ink-3">{meaning}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function sayMoved(count: number): string {
  return sayCount(count, {
    one: '{count} more code was uploaded again and belongs to the newer upload.',
    other: '{count} more codes were uploaded again and belong to the newer upload.',
  });
}

/**
 * The result of the import with its files (R-IMP-16). `importId` is the import of the upload; null if its codes came
 * without a file.
 */
function UploadFiles({ importId }: { importId: string | null }) {
  const { data } = useQuery({ ...queryOf(getImport, { id: importId ?? '' }), enabled: importId !== null });
  const [, navigate] = useLocation();
  if (data?.kind !== 'coupons' || !data.results) return null;
  const { kind, results, preview, found, ignored } = data;
  const hints = [
    sayStopped(data),
    data.state === 'done' ? sayDifference(preview, results.success) : null,
    sayNoNames(kind, found),
    sayIgnored(ignored),
    results.generated > 0 ? sayGenerated(results.generated) : null,
  ].filter((hint) => hint !== null);
  const showProgress = () => {
    void openUpload(data);
    navigate(CODES_PATH);
  };
  return (
    <Card title={say('Imported rows')}>
      <CardBody className="flex flex-col gap-4 h-full">
        <Facts>
          {tallyOf(kind, results).map(({ label, count }) => (
            <Fact key={label} label={label}>
              {sayNumber(count)}
            </Fact>
          ))}
        </Facts>
        {hints.map((hint) => (
          <p key={hint} className="text-sm text-ink-3">
            {hint}
          </p>
        ))}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          {results.failures > 0 && <FileButton id={data.id} kind={kind} file="failed_rows" />}
          {results.duplicates > 0 && <FileButton id={data.id} kind={kind} file="duplicates" />}
          {results.generated > 0 && <FileButton id={data.id} kind={kind} file="generated" />}
          {data.state === 'failed' && (
            <FailedActs state={data} onRetried={showProgress} onCancelled={focusMain} />
          )}
        </div>
      </CardBody>
    </Card>
  );
}

function ActCard({ act, onDismiss }: { act: BatchActState; onDismiss: () => void }) {
  const { kind, rows_done, rows_total } = act;
  const isMistake = kind === 'void' && act.void_reason === 'mistake';
  return (
    <JobCard
      job={act}
      kind={BATCH_ACTS}
      icon={kind === 'void' ? Ban : CalendarClock}
      title={sayRunning(act)}
      why={kind === 'void' ? sayWhy(act.void_reason) : ''}
      words={say('{done} of {total} codes', { done: sayNumber(rows_done), total: sayNumber(rows_total) })}
      next={isMistake ? say('Upload the codes again and they count as new.') : undefined}
      onDismiss={onDismiss}
    />
  );
}

function sayWhy(reason: VoidReason): string {
  return reason === 'mistake'
    ? say('The upload was a mistake.')
    : say('These codes must not be used any more.');
}

const BATCH_ACTS = {
  pick: (state: JobState): BatchActState | undefined =>
    state.kind === 'void' || state.kind === 'use_by' ? state : undefined,
  sayOutcome,
  sayStopped: sayActStopped,
  changes: 'coupons',
} as const;
