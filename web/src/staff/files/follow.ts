// Follows an import, or the check of a file, until it ends: polls its progress, and shows the result.
import {
  type CheckedFile,
  type CsvKind,
  type CsvOptions,
  discardImport,
  type FoundColumns,
  getImport,
  type ImportPreview,
  type ImportResults,
  type ImportSample,
  type ImportState,
  listImports,
  type RowError,
  startImport,
} from '@portal/contract';
import { ApiError, call, isNotFound } from '../../api.ts';
import { focusMain } from '../../ui/dom.ts';
import { showToast } from '../../ui/toast-store.ts';
import { say, sayCount, sayServed } from '../../words/say.ts';
import { refreshLists, refusalWords, tellError, tellRefusal, tellSuccess } from '../action.tsx';
import { followRole, isRoleTooLow } from '../role.tsx';
import type { StaffQuestion } from './questions.tsx';
import { type Refusal, sayEnd, sayResults, signedOut } from './words.ts';

const POLL_MS = 1000;
/**
 * Polling stops if the server does not respond for this time. A restart takes less time, and the restarted server
 * continues the import.
 */
const PATIENCE_MS = 120_000;

/** Status codes that a proxy sends if it gets no response from the server. */
const LOST = [502, 503, 504];

/** Texts of the toast for errors without a message (R-ERR-12, R-ERR-14, R-ERR-19). */
const sayFailed = {
  products: () => say('Failed to import products'),
  users: () => say('Failed to import users'),
  coupons: () => say('Failed to import coupons'),
};

type Imported = { results: Partial<ImportResults>; errors?: readonly RowError[] };
export type UploadReply = Imported | CheckedFile;

/** Makes the call that imports or checks the file, and follows it. Resolves after the result is shown; never rejects. */
export async function follow(id: string, kind: CsvKind, send: () => Promise<UploadReply>): Promise<void> {
  const stopWatching = watch(id, kind);
  try {
    const reply = await send();
    if ('preview' in reply) return showPreview(id, kind, reply);
    // The response to an import of products contains no number of duplicates. So the counts come from the state of the
    // import.
    const said = kind === 'products' ? await ask(id) : null;
    const counted = typeof said === 'object' ? said?.results : null;
    finish(id, kind, counted ?? completed(reply.results), reply.errors ?? []);
  } catch (error) {
    await recover(id, kind, error);
  } finally {
    stopWatching();
  }
}

/** Shows what the check of a file has found. */
function showPreview(
  id: string,
  kind: CsvKind,
  { preview, errors, sample, found, ignored }: CheckedFile,
): void {
  const rows = { rowsDone: preview.total, rowsTotal: preview.total };
  const checked = { preview, errors, sample, found, ignored, errorsCount: preview.invalid };
  importRuns.update(id, kind, { state: 'checked', checking: false, isNews: true, ...rows, ...checked });
  refreshLists('imports');
}

/** Polls the import and updates its progress bar. Returns a function that stops polling. */
function watch(id: string, kind: CsvKind): () => void {
  let watching = true;
  const look = async () => {
    // Until the server has received the whole file, a request for the import by its id gets a 404, which browsers log
    // as an error. The list of imports never responds with 404. So the first search is in that list.
    let inquire: typeof ask = findAmongNewest;
    while (watching) {
      await pause(POLL_MS);
      const said = watching ? await inquire(id) : 'unknown';
      if (said === 'refused') return;
      if (typeof said !== 'object') continue;
      inquire = ask;
      if (watching) advance(id, kind, said);
    }
  };
  void look();
  return () => {
    watching = false;
  };
}

function advance(id: string, kind: CsvKind, said: ImportState): void {
  importRuns.update(id, kind, progressOf(said, importRuns.get(kind)?.rowsDone));
}

// After a lost connection, the server may still run the import, even if the server was restarted. So the page polls for
// the result. The state of a cancelled import has its counts too.
async function recover(id: string, kind: CsvKind, error: unknown): Promise<void> {
  const hasState = error instanceof ApiError && (LOST.includes(error.status) || error.code === 'cancelled');
  if (error instanceof ApiError && !hasState) return fail(kind, error);
  await waitForEnd(id, kind, error);
}

/** Polls the import until it has ended, and shows its result. `cause` is shown if it cannot be found. */
export async function waitForEnd(id: string, kind: CsvKind, cause: unknown): Promise<void> {
  let heardMs = Date.now();
  while (Date.now() - heardMs < PATIENCE_MS) {
    const said = await ask(id);
    if (said === 'unknown') break;
    // The import goes on, but its progress is no longer for this user.
    if (said === 'refused') return importRuns.remove(kind);
    if (said !== 'unreachable') {
      heardMs = Date.now();
      advance(id, kind, said);
      if (said.state === 'failed' || said.state === 'cancelled') return end(said);
      if (said.state === 'checked' || said.state === 'refused') return endCheck(said);
      if (said.results) return finish(id, kind, said.results, said.errors);
    }
    await pause(POLL_MS);
  }
  fail(kind, cause);
}

function finish(id: string, kind: CsvKind, results: ImportResults, errors: readonly RowError[]): void {
  const { total: rowsTotal, failures: errorsCount } = results;
  const rows = { rowsDone: rowsTotal, rowsTotal };
  importRuns.update(id, kind, {
    state: 'done',
    isNews: document.activeElement === document.body,
    ...rows,
    results,
    errors,
    errorsCount,
    endedAtMs: Date.now(),
  });
  showToast(sayResults(kind, results));
  refreshLists(kind, 'imports');
}

/** Shows the result of a check, or why the file was refused. */
function endCheck(state: ImportState): void {
  const { id, kind } = state;
  importRuns.update(id, kind, { ...resultOf(state), state: state.state, checking: false, isNews: true });
  refreshLists('imports');
}

/** Shows a failed or cancelled import and its counts, until the user dismisses the summary. */
function end(said: ImportState): void {
  const { id, kind, state, reason } = said;
  if (importRuns.get(kind)?.checking && state === 'cancelled') {
    importRuns.remove(kind);
    showToast({ title: say('Check Cancelled'), description: say('Nothing was imported.') });
    refreshLists('imports');
    return;
  }
  importRuns.update(id, kind, { ...resultOf(said), state, endedAtMs: Date.now() });
  showToast(sayEnd(state, reason));
  refreshLists(kind, 'imports');
}

/**
 * Returns all counts of an import. The response of each import call has only some of the counts; the missing counts
 * become 0.
 */
function completed(counted: Partial<ImportResults>): ImportResults {
  const { success = 0, failures = 0, duplicates = 0, productAccess = 0, generated = 0 } = counted;
  const total = counted.total ?? success + failures + duplicates;
  const { joined, already } = counted;
  return { success, failures, duplicates, productAccess, generated, total, joined, already };
}

/**
 * Shows a toast for a refused upload. `reason` is set if the file is invalid. The page then also shows the reason,
 * until the user dismisses it.
 */
export function tellRefused(kind: CsvKind, fileName: string, { reason, ...words }: Refusal): void {
  showToast(words);
  if (reason) importRuns.refuse(kind, fileName, reason);
}

function fail(kind: CsvKind, error: unknown): void {
  const fileName = importRuns.get(kind)?.fileName ?? '';
  importRuns.remove(kind);
  // A 401 means that the session has ended since the upload started.
  const hasEnded = error instanceof ApiError && error.status === 401;
  if (hasEnded && kind !== 'products') showToast(signedOut(kind));
  else {
    const words = refusalWords(error, sayFailed[kind]());
    followRole(error);
    // After a server or connection error, the file may have been imported all the same. So the page shows the file as
    // refused only after other errors.
    const isRefused = error instanceof ApiError && error.status < 500;
    refreshLists('imports');
    tellRefused(kind, fileName, isRefused ? { ...words, reason: words.description } : words);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// Store of imports: for each kind of CSV file, the running import or the last one. The store is global, because an
// import continues after the user leaves its page.

/** A question to staff about a file that was not sent yet. `answer` gets null if staff do not want to import the file. */
export type Question = StaffQuestion & { answer: (options: CsvOptions | null) => void };

/**
 * An import as the page shows it. State `asking` means that the file was not sent yet, because of `question`. State
 * `refused` means that the file was rejected and nothing was imported.
 */
export type ImportRun = {
  id: string;
  kind: CsvKind;
  fileName: string;
  /** Size of the file; null if another page started the import. */
  sizeBytes: number | null;
  /**
   * Name of the product to which the rows belong, or a text such as '2 products'. Null if the product is unknown or the
   * rows need no product.
   */
  target: string | null;
  startedAtMs: number;
  state: ImportState['state'] | 'asking';
  question: Question | null;
  /** True if the rows are only checked. */
  checking: boolean;
  /** True while the server works on another file first. */
  waits: boolean;
  /** What the check found. Only `preview` stays after the import. */
  preview: ImportPreview | null;
  sample: Readonly<ImportSample>;
  found: FoundColumns | null;
  /** The names of the columns that are ignored. */
  ignored: readonly string[];
  /** True until the card with the result of a check has had the focus. */
  isNews: boolean;
  rowsDone: number;
  /** Number of rows in the file; 0 until the server has counted them. */
  rowsTotal: number;
  results: ImportResults | null;
  errors: readonly RowError[];
  errorsCount: number;
  endedAtMs: number | null;
  /** Why the file was refused or the import failed, in the language of the page. Empty in all other states. */
  reason: string;
};

/** Initial values of an `ImportRun`. */
export const NEW_RUN = {
  sizeBytes: null,
  target: null,
  startedAtMs: 0,
  state: 'running',
  question: null,
  checking: false,
  waits: false,
  preview: null,
  sample: [],
  found: null,
  ignored: [],
  isNews: false,
  rowsDone: 0,
  rowsTotal: 0,
  results: null,
  errors: [],
  errorsCount: 0,
  endedAtMs: null,
  reason: '',
} as const;

/** Creates a store of imports. All pages share `importRuns`; each test creates its own store. */
export function createImportRuns() {
  let runs: Partial<Record<CsvKind, ImportRun>> = {};
  const listeners = new Set<() => void>();
  const set = (kind: CsvKind, run: ImportRun | undefined) => {
    runs = { ...runs, [kind]: run };
    for (const listener of listeners) listener();
  };
  return {
    get: (kind: CsvKind) => runs[kind],
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    start: (run: ImportRun) => set(run.kind, run),
    /** Shows a refused file instead of the current or last import of this kind. */
    refuse: (kind: CsvKind, fileName: string, reason: string) =>
      set(kind, { ...NEW_RUN, id: '', kind, fileName, state: 'refused', reason }),
    /** Updates the shown import with new values. Ignores the values of an import that is no longer shown. */
    update: (id: string, kind: CsvKind, said: Partial<ImportRun>) => {
      const run = runs[kind];
      if (run?.id === id) set(kind, { ...run, ...said });
    },
    remove: (kind: CsvKind) => set(kind, undefined),
  };
}

export const importRuns = createImportRuns();

/**
 * Returns the progress to show. `state` is the last response of the server. `rowsDone` is the number of rows that the
 * progress bar shows now. The returned number of rows is never smaller, because responses can arrive out of order and
 * the bar must not move back.
 */
export function progressOf(state: ImportState, rowsDone = 0): Partial<ImportRun> {
  const { rows_done, rows_total: rowsTotal, waits } = state;
  return { rowsDone: Math.max(rows_done, rowsDone), rowsTotal, waits };
}

/**
 * Converts a state from the server to an `ImportRun`. Used for an import that another page started, or that this page
 * started before a reload.
 */
export function runOf(state: ImportState): ImportRun {
  return {
    ...NEW_RUN,
    id: state.id,
    kind: state.kind,
    fileName: state.file_name ?? say('CSV file'),
    startedAtMs: Date.parse(state.created_at),
    ...resultOf(state),
    state: state.state,
    checking: state.checking,
    waits: state.waits,
  };
}

/** Returns the part of an `ImportRun` that changes while the server works. */
function resultOf(state: ImportState): Partial<ImportRun> {
  return {
    rowsDone: state.rows_done,
    rowsTotal: state.rows_total,
    preview: state.preview,
    sample: state.sample ?? [],
    found: state.found,
    ignored: state.ignored,
    results: state.results,
    errors: state.errors,
    errorsCount: state.errors_count,
    reason: sayServed(state.reason ?? ''),
  };
}

/**
 * Returns the estimated time left as text, based on the average speed so far. Returns '' if an estimate is not yet
 * possible, or less than 2 seconds are left.
 */
export function sayTimeLeft({ rowsDone, rowsTotal, startedAtMs }: ImportRun, nowMs: number): string {
  const elapsedMs = nowMs - startedAtMs;
  if (rowsDone === 0 || rowsTotal === 0 || elapsedMs < 2000) return '';
  const leftS = Math.ceil(((rowsTotal - rowsDone) * elapsedMs) / rowsDone / 1000);
  if (leftS < 2) return '';
  if (leftS < 90) {
    return sayCount(leftS, { one: 'about {count} second left', other: 'about {count} seconds left' });
  }
  return sayCount(Math.round(leftS / 60), {
    one: 'about {count} minute left',
    other: 'about {count} minutes left',
  });
}

// Imports or discards a file that was checked (R-IMP-02, R-IMP-03).

/** Imports the checked file that the page shows. Resolves after the result is shown. */
export async function startChecked({ id, kind }: ImportRun): Promise<void> {
  const now = { rowsDone: 0, rowsTotal: 0, startedAtMs: Date.now() };
  importRuns.update(id, kind, { state: 'running', checking: false, ...now });
  focusMain();
  await follow(id, kind, () => call(startImport, { params: { id } }));
}

/** Discards the checked file that the page shows. */
export async function discardChecked({ id, kind }: ImportRun): Promise<void> {
  try {
    await call(discardImport, { params: { id } });
    tellSuccess(say('The file was discarded. Nothing was imported.'));
  } catch (error) {
    tellRefusal(error, say('Failed to discard the file'));
  }
  if (importRuns.get(kind)?.id === id) importRuns.remove(kind);
  refreshLists('imports');
  focusMain();
}

// Shows an upload of the list on its page: a running one with its progress, a checked one with its result, and one that
// has ended with its summary (R-IMP-16).

/** Shows the upload in place of the one that its page shows. A running import of this page goes on. */
export async function openUpload({ id, kind }: Pick<ImportState, 'id' | 'kind'>): Promise<void> {
  const state = await ask(id);
  if (state === 'refused') return;
  if (typeof state === 'string') return tellError(say('We could not load this upload.'));
  importRuns.get(kind)?.question?.answer(null);
  importRuns.start({ ...runOf(state), isNews: true });
  if (state.state === 'running') await waitForEnd(id, kind, null);
}

// Asks the server for the state of an import.

/** 'refused' means that the role of the current user is too low by now; a toast says so. */
type Answer = ImportState | 'unknown' | 'unreachable' | 'refused';

/** Returns the import with this id. */
export async function ask(id: string): Promise<Answer> {
  try {
    const said = await call(getImport, { params: { id } });
    return said.kind === 'products' || said.kind === 'users' || said.kind === 'coupons' ? said : 'unknown';
  } catch (error) {
    if (!isRoleTooLow(error)) return isNotFound(error) ? 'unknown' : 'unreachable';
    tellRefusal(error, '');
    return 'refused';
  }
}

/** Returns the import with this id if it is among the newest imports. */
async function findAmongNewest(id: string): Promise<Answer> {
  const states = await call(listImports).catch(() => []);
  return states.find((state) => state.id === id) ?? 'unknown';
}
