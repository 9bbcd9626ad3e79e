// Shows the progress of a job, and then its result until the user dismisses it.
import { cancelImport, getImport, type JobState } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call, isNotFound } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { CARD } from '../ui/card.tsx';
import { classes, focusMain } from '../ui/dom.ts';
import { Icon } from '../ui/icon.tsx';
import { Progress } from '../ui/progress.tsx';
import { formatNumber } from '../words/format.ts';
import { t } from '../words/translate.ts';
import { type Changed, refreshLists, toastError, toastSuccess, useAction } from './action.tsx';
import { isSignedOut, jobQuery } from './files/follow.ts';
import { RoleGate, useMay } from './role.tsx';
import { formatDayAndTime } from './time.ts';

type JobCardProps<Job> = {
  job: Job;
  kind: Kind<Job>;
  icon: LucideIcon;
  /** What the running job does. */
  title: string;
  /** Why the job was started. */
  why?: string;
  /** How much is done, such as '3 of 9 codes'. */
  words: string;
  /** What to do after the job. */
  next?: string | undefined;
  /** Shown below the result. */
  children?: ReactNode;
  onDismiss: () => void;
};

const JOB_CARD = classes(CARD, 'gap-3 px-6 py-5 text-sm max-md:p-4.5');
const JOB_FOOT =
  'flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-ink-2 tabular-nums [&>button]:ml-auto';

export function JobCard<Job extends JobState>(props: JobCardProps<Job>) {
  return props.job.state === 'running' ? <Running {...props} /> : <Result {...props} />;
}

function Running({ job, icon, title, why, words }: Omit<JobCardProps<JobState>, 'kind' | 'children'>) {
  const { id, rows_done, rows_total } = job;
  const share = rows_total > 0 ? Math.floor((rows_done / rows_total) * 100) / 100 : 0;
  return (
    <section className={JOB_CARD} aria-label={title}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        <Icon of={icon} className="text-ink-3" />
        <b role="status" className="text-(length:--text-md) font-medium">
          {title}
        </b>
        {why && <span className="text-ink-3">{why}</span>}
        <span className="ml-auto font-medium tabular-nums">{formatShare(share)}</span>
      </div>
      <Progress label={title} done={rows_done} total={rows_total} words={words} />
      <div className={JOB_FOOT}>
        <span aria-hidden="true">{words}</span>
        <span className="text-ink-3">{t('You can leave this page. It continues.')}</span>
        <RoleGate to={cancelImport}>
          <CancelJob
            id={id}
            size="sm"
            label={t('Cancel')}
            failed={t('Failed to cancel the job')}
            onCancelled={focusMain}
          />
        </RoleGate>
      </div>
    </section>
  );
}

function Result<Job extends JobState>({ job, kind, why, next, children, onDismiss }: JobCardProps<Job>) {
  const isDone = job.state === 'done';
  const dismiss = () => {
    onDismiss();
    focusMain();
  };
  return (
    <section className={JOB_CARD} aria-label={t('Result')}>
      <div className="flex items-start gap-3">
        <Icon
          of={isDone ? CircleCheck : CircleAlert}
          className={isDone ? 'text-ink-3' : 'text-danger-text'}
        />
        <b className="text-(length:--text-md) font-medium">{kind.formatOutcome(job)}</b>
      </div>
      {children}
      <div className={JOB_FOOT}>
        <p className="flex-[1_1_16rem] wrap-anywhere">
          {!isDone && `${kind.formatStopped(job)} `}
          {why && `${why} · `}
          {formatDayAndTime(job.created_at)}, {job.created_by}
          {isDone && next && `. ${next}`}
        </p>
        <Button size="sm" look="ghost" onClick={dismiss}>
          {t('Dismiss')}
        </Button>
      </div>
    </section>
  );
}

const POLL_MS = 1000;

type Kind<Job> = {
  /** Returns the job if it is of this kind. */
  pick: (state: JobState) => Job | undefined;
  formatOutcome: (job: Job) => string;
  /** For a job that failed or was cancelled. */
  formatStopped: (job: Job) => string;
  changes: Changed;
};

/**
 * Returns the job whose id is in the URL, and polls it until it ends. `running` is the id of the job that the server
 * reports as running for the thing on the page, or null. Members whose role may not read the job see no progress.
 */
export function useJob<Job extends JobState>(kind: Kind<Job>, running: string | null = null) {
  const canFollow = useMay()(getImport);
  const address = useJobAddress();
  const id = canFollow ? address.id : null;
  const { data, error } = useQuery({
    ...jobQuery(id ?? ''),
    enabled: id !== null,
    refetchInterval: ({ state: { data, error } }) =>
      isNotFound(error) || isSignedOut(error) || (data && data.state !== 'running') ? false : POLL_MS,
  });
  const job = data && kind.pick(data);
  const isRunning = job ? job.state === 'running' : id !== null && !data && !isNotFound(error);

  useEffect(() => {
    if (canFollow && running !== null && running !== id && !isRunning) address.show(running);
  });
  useEffect(() => {
    if (!job) return;
    if (job.state === 'running') awaited.add(job.id);
    else if (awaited.delete(job.id)) {
      if (job.state === 'done') toastSuccess(kind.formatOutcome(job));
      else toastError(kind.formatStopped(job));
    }
    // A new state of the job means changed rows, so the page loads its data again.
    refreshLists(kind.changes);
  }, [job]);
  return { job, isRunning, follow: address.follow, dismiss: () => address.show(null) };
}

/** Name of the job's id in the URL, so that a reload shows the job again. */
const JOB = 'job';

/** Ids of the jobs that this page has started or has seen running. The page announces their end. */
const awaited = new Set<string>();

/** Returns the id in the URL, or null. `follow` shows a job that this page has started; `show` any job, or none. */
export function useJobAddress() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const show = (id: string | null) => {
    const query = new URLSearchParams(search);
    if (id === null) query.delete(JOB);
    else query.set(JOB, id);
    navigate(query.size > 0 ? `${path}?${query}` : path, { replace: true });
  };
  const follow = (id: string) => {
    awaited.add(id);
    show(id);
  };
  return { id: new URLSearchParams(search).get(JOB), show, follow };
}

type CancelJobProps = {
  id: string;
  label: string;
  /** Text of the toast if the job could not be cancelled; of an import if missing. */
  failed?: string;
  size?: 'sm';
  /** Id of a text that describes the button. */
  hintId?: string;
  /** Not needed if the page polls the job. */
  onCancelled?: () => void;
};

/** Cancels an import or another job that changes many rows (C-7). What the job has changed stays. */
export function CancelJob({ id, label, size, hintId, onCancelled, ...props }: CancelJobProps) {
  const { run, busy } = useAction({
    send: () => call(cancelImport, { params: { id } }),
    failed: props.failed ?? t('Failed to cancel the import'),
    onDone: () => onCancelled?.(),
  });
  return (
    <Button size={size} busy={busy} aria-describedby={hintId} onClick={() => void run()}>
      {label}
    </Button>
  );
}

/** Returns '25%' for 0.25, in the current locale. */
export function formatShare(share: number): string {
  return formatNumber(share, { style: 'percent' });
}
