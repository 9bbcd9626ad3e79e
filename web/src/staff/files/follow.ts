// Follows an upload: sends the file, polls the state of its job until it ends, and shows the result.
import type { CsvKind, CsvOptions, ImportState, JobState } from '@portal/contract';
import { discardImport, getImport, listImports, startImport } from '@portal/contract';
import { QueryObserver, queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { ApiError, call, isNotFound, read } from '../../api.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { createStore, focusMain } from '../../ui/dom.ts';
import { showToast } from '../../ui/toast-store.ts';
import { t, tCount } from '../../words/translate.ts';
import { refreshLists, refusalWords, toastError, toastRefusal, toastSuccess } from '../action.tsx';
import { randomUuid } from '../form.tsx';
import { followRole, isRoleTooLow } from '../role.tsx';
import type { FileText, ReadChoices } from './file-text.ts';
import type { StaffQuestion } from './questions.tsx';
import { formatEnd, formatResults, type Refusal, signedOut } from './words.ts';

const POLL_MS = 1000;
/** Polling stops after this time without a response. A restarted server continues the import sooner than that. */
const PATIENCE_MS = 120_000;

/** Status codes that a proxy sends if it gets no response from the server. */
const LOST = [502, 503, 504];

/** Texts of the toast for errors without a message (R-ERR-12, R-ERR-14, R-ERR-19). */
const formatFailed = {
  products: () => t('Failed to import products'),
  users: () => t('Failed to import users'),
  coupons: () => t('Failed to import coupons'),
};

/** A job that is followed. `isSending` is true until the call that sends the file, or starts the import, has ended. */
type Followed = { isSending: boolean; isKnown: boolean };

const followed = new Map<string, Followed>();

/** The query of an import. */
export const importQuery = (id: string) => stateQuery<ImportState>(id);

/** The query of any job. */
export const jobQuery = (id: string) => stateQuery<JobState>(id);

function stateQuery<Job extends JobState>(id: string) {
  const queryKey: readonly unknown[] = queryOf(getImport, { id }).queryKey;
  return queryOptions<Job>({ queryKey, queryFn: () => readState(id) as Promise<Job> });
}

async function readState(id: string): Promise<JobState> {
  const before = queryClient.getQueryData<ImportState>(importQuery(id).queryKey);
  const job = followed.get(id);
  if (!before || !job?.isSending) return withoutStepBack(before, await readImport(id));
  const state = job.isKnown ? await readImport(id) : await findAmongNewest(id);
  if (state) job.isKnown = true;
  // Until the server has received the call that starts the import, it reports the file as 'checked'. So while this call
  // is running, only the state 'running' is used.
  return state?.state === 'running' ? withoutStepBack(before, state) : before;
}

async function readImport(id: string): Promise<ImportState> {
  return (await read(`${importQuery(id).queryKey[0]}`)) as ImportState;
}

/**
 * Returns the import with this id if it is among the newest. Until the server has received the whole file, a request by the
 * id would get a 404, which browsers log as an error.
 */
async function findAmongNewest(id: string): Promise<ImportState | undefined> {
  const states = await call(listImports).catch(() => []);
  return states.find((state) => state.id === id);
}

/** The progress bar of a running job must not move back, so `state` gets at least as many rows done as `before`. */
export function withoutStepBack(before: ImportState | undefined, state: ImportState): ImportState {
  const isSameRun = before?.state === 'running' && before.checking === state.checking;
  if (!isSameRun || state.state !== 'running') return state;
  return { ...state, rows_done: Math.max(before.rows_done, state.rows_done) };
}

/**
 * Polls the job until it ends, also after the user has left the page, and shows its result. `send` sends the file or
 * starts the import; its error is ignored unless `endsUpload` returns true. Does nothing if the job is followed
 * already.
 */
export function follow(start: ImportState, send?: () => Promise<unknown>): void {
  const { id } = start;
  if (followed.has(id)) return;
  const query = importQuery(id);
  const job: Followed = {
    isSending: send !== undefined,
    isKnown: queryClient.getQueryData(query.queryKey) !== undefined,
  };
  let last = start;
  let heardMs = Date.now();
  // The error to show if the job cannot be found, or the server does not respond.
  let cause: unknown = null;
  const end = () => {
    followed.delete(id);
    stop();
  };
  followed.set(id, job);
  if (send) {
    // The reply to a pending request would restore an older state, such as 'checked'.
    void queryClient.cancelQueries({ queryKey: query.queryKey });
    queryClient.setQueryData(query.queryKey, start);
  }
  const polling = { refetchInterval: POLL_MS, refetchIntervalInBackground: true };
  const observer = new QueryObserver(queryClient, { ...query, ...polling });
  const stop = observer.subscribe(({ data, error, isFetching }) => {
    if (isFetching || !followed.has(id)) return;
    if (isRoleTooLow(error)) {
      // The import continues, but this user may no longer see it. `useRefusedQueries` shows a toast.
      end();
      uploads.hide(start);
    } else if (job.isSending) {
      last = data ?? last;
    } else if (isSignedOut(error)) {
      // The import continues. After the next sign-in, its page finds the import again.
      end();
      forget(start);
      if (start.kind !== 'products') showToast(signedOut(start.kind));
    } else if (error) {
      if (!isNotFound(error) && Date.now() - heardMs < PATIENCE_MS) return;
      end();
      fail(start, cause);
    } else if (data) {
      heardMs = Date.now();
      if (data.state !== 'running') {
        end();
        showEnd(data, last.checking);
      }
      last = data;
    }
  });
  if (!send) return;
  void send()
    .catch((error: unknown) => {
      cause = error;
    })
    .then(() => {
      if (followed.get(id) !== job) return;
      if (endsUpload(cause)) {
        end();
        fail(start, cause);
        return;
      }
      job.isSending = false;
      heardMs = Date.now();
      void observer.refetch();
    });
}

/** False after a lost connection, because the import may run, and after `cancelled`, because that job has counts. */
function endsUpload(error: unknown): boolean {
  return error instanceof ApiError && !LOST.includes(error.status) && error.code !== 'cancelled';
}

/** `wasCheck` is true if the rows were only checked. */
function showEnd(job: ImportState, wasCheck: boolean): void {
  const { kind, state, results, reason } = job;
  if (state === 'checked' || state === 'refused') {
    uploads.update(job, { job, isNew: true });
    refreshLists(listImports);
  } else if (state === 'cancelled' && wasCheck) {
    uploads.hide(job);
    showToast({ title: t('Check Cancelled'), description: t('Nothing was imported.') });
    refreshLists(listImports);
  } else {
    const isDone = results !== null && state !== 'failed' && state !== 'cancelled';
    uploads.update(job, {
      job,
      endedAtMs: Date.now(),
      ...(isDone && { isNew: document.activeElement === document.body }),
    });
    showToast(isDone ? formatResults(kind, results) : formatEnd(state, reason));
    refreshLists(kind, listImports);
  }
}

/** Shows a toast for a refused upload, and on the page the reason, if there is one, until the user dismisses it. */
export function toastRefused(
  kind: CsvKind,
  fileName: string,
  { reason, ...words }: Refusal,
  offer: Partial<Pick<ShownUpload, 'check'>> = {},
): void {
  showToast(words);
  if (reason)
    uploads.show({ ...newUpload({ ...newJob(kind, fileName), state: 'refused', reason }), ...offer });
}

function fail(job: ImportState, error: unknown): void {
  const { kind, file_name } = job;
  forget(job);
  if (isSignedOut(error) && kind !== 'products') showToast(signedOut(kind));
  else {
    const words = refusalWords(error, formatFailed[kind]());
    followRole(error);
    // After a server or connection error, the file may have been imported all the same.
    const isRefused = error instanceof ApiError && error.status < 500;
    refreshLists(listImports);
    toastRefused(kind, file_name ?? '', isRefused ? { ...words, reason: words.description } : words);
  }
}

/** True if the session has ended since the upload started. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Hides an upload that the server does not know, and removes its state, so that it is not loaded again. */
function forget(job: ImportState): void {
  uploads.hide(job);
  queryClient.removeQueries({ queryKey: importQuery(job.id).queryKey });
}

/** A question about a file that was not sent yet. `answer` gets null if staff do not want to import the file. */
export type Question = StaffQuestion & { answer: (options: CsvOptions | null) => void };

/** An upload as its page shows it: the state of its job, and what only the page knows. */
export type ShownUpload = {
  /** Made by `newJob` until the server knows the file. */
  job: ImportState;
  /** Set while staff must answer before the file is sent. */
  question: Question | null;
  /** Size of the file; null if another page sent it. */
  sizeBytes: number | null;
  /** The product to which the rows belong, or a text such as '2 products'. */
  target: string | null;
  startedAtMs: number;
  endedAtMs: number | null;
  /** True until the card with the result has had the focus. */
  isNew: boolean;
  /** How the page has read the checked file; null if another page did. */
  source: UploadSource | null;
  /** Checks a refused workbook (R-MAP-12). */
  check?: () => Promise<void>;
};

/** How a file was read. `again` reads and checks the file anew with these choices, and discards this check. */
export type UploadSource = Omit<FileText, 'text'> & { again: (choices: ReadChoices) => Promise<void> };

/** Returns the state of a file that the server does not know. */
export function newJob(kind: CsvKind, fileName: string, checking = false): ImportState {
  return {
    id: randomUuid(),
    kind,
    file_name: fileName,
    state: 'running',
    reason: null,
    checking,
    waits: false,
    rows_done: 0,
    rows_total: 0,
    results: null,
    errors_count: 0,
    errors: [],
    created_at: new Date().toISOString(),
    created_by: null,
    product_id: null,
    batch_id: null,
    preview: null,
    found: null,
    ignored: [],
    left_out: [],
  };
}

/** Returns an upload about which the page knows only the job. */
export function newUpload(job: ImportState): ShownUpload {
  const startedAtMs = Date.parse(job.created_at);
  const unknown = { question: null, sizeBytes: null, target: null, endedAtMs: null, source: null };
  return { ...unknown, job, startedAtMs, isNew: false };
}

/**
 * Creates a store of the uploads that the pages show: the last one of each kind of CSV file. All pages share `uploads`,
 * because an import continues after the user leaves its page. Each test creates its own store.
 */
export function createUploads() {
  const store = createStore<Partial<Record<CsvKind, ShownUpload>>>({});
  const get = (kind: CsvKind) => store.get()[kind];
  const set = (kind: CsvKind, upload: ShownUpload | undefined) =>
    store.set({ ...store.get(), [kind]: upload });
  const find = ({ id, kind }: ImportState) => (get(kind)?.job.id === id ? get(kind) : undefined);
  return {
    get,
    subscribe: store.subscribe,
    show: (upload: ShownUpload) => set(upload.job.kind, upload),
    /** Changes the upload of the job. Does nothing if the page shows another upload. */
    update: (job: ImportState, changes: Partial<ShownUpload>) => {
      const upload = find(job);
      if (upload) set(job.kind, { ...upload, ...changes });
    },
    /** Hides the upload of the job. Does nothing if the page shows another upload. */
    hide: (job: ImportState) => {
      if (find(job)) set(job.kind, undefined);
    },
  };
}

export const uploads = createUploads();

/** Finds the running upload of this kind, also if another page has started it. Needs a role that may upload. */
export function useRunningUpload(kind: CsvKind): void {
  useEffect(() => {
    void showRunning(kind);
  }, [kind]);
}

/** Returns the upload that the page shows. Follows its job if it runs. */
export function useUpload(kind: CsvKind): ShownUpload | undefined {
  const shown = useSyncExternalStore(uploads.subscribe, () => uploads.get(kind));
  const isSent = shown !== undefined && shown.question === null && shown.job.state !== 'refused';
  const query = useQuery({ ...importQuery(shown?.job.id ?? ''), enabled: isSent });
  const job = isSent ? (query.data ?? shown.job) : shown?.job;
  useEffect(() => {
    if (isSent && job?.state === 'running') follow(job);
  }, [isSent, job]);
  return shown && job && { ...shown, job };
}

/** Shows the running import of this kind that the server reports, unless the page shows an upload already. */
async function showRunning(kind: CsvKind): Promise<void> {
  if (uploads.get(kind)) return;
  const states = await call(listImports).catch(() => []);
  const running = states.find((state) => state.kind === kind && state.state === 'running');
  if (running && !uploads.get(kind)) uploads.show(newUpload(running));
}

/** Estimates from the average speed so far. Returns '' if that is not yet possible, or less than 2 seconds are left. */
export function formatTimeLeft({ job, startedAtMs }: ShownUpload, nowMs: number): string {
  const { rows_done, rows_total } = job;
  const elapsedMs = nowMs - startedAtMs;
  if (rows_done === 0 || rows_total === 0 || elapsedMs < 2000) return '';
  const leftS = Math.ceil(((rows_total - rows_done) * elapsedMs) / rows_done / 1000);
  if (leftS < 2) return '';
  if (leftS < 90) {
    return tCount(leftS, { one: 'about {count} second left', other: 'about {count} seconds left' });
  }
  return tCount(Math.round(leftS / 60), {
    one: 'about {count} minute left',
    other: 'about {count} minutes left',
  });
}

/** Imports the checked file that the page shows (R-IMP-02, R-IMP-03). */
export function startChecked({ job }: ShownUpload): void {
  const running = { ...job, state: 'running', checking: false, rows_done: 0, rows_total: 0 } as const;
  uploads.update(job, { startedAtMs: Date.now() });
  focusMain();
  follow(running, () => call(startImport, { params: { id: job.id } }));
}

export async function discardChecked({ job }: ShownUpload): Promise<void> {
  try {
    await call(discardImport, { params: { id: job.id } });
    toastSuccess(t('The file was discarded. Nothing was imported.'));
  } catch (error) {
    toastRefusal(error, t('Failed to discard the file'));
  }
  forget(job);
  refreshLists(listImports);
  focusMain();
}

/** Shows an upload of the list on its page (R-IMP-16). A running import of this page goes on. */
export async function openUpload({ id }: Pick<ImportState, 'id'>): Promise<void> {
  try {
    const job = await queryClient.fetchQuery({ ...importQuery(id), staleTime: 0 });
    uploads.get(job.kind)?.question?.answer(null);
    // A running import has no result yet that could have the focus.
    uploads.show({ ...newUpload(job), isNew: job.state !== 'running' });
  } catch (error) {
    if (!isRoleTooLow(error)) toastError(t('We could not load this upload.'));
  }
}
