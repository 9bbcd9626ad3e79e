// Follows an import, or the check of a file, until it ends: polls its progress, and shows the result.
import type { CheckedFile, CsvKind, ImportResults, ImportState, RowError } from '@portal/contract';
import { ApiError } from '../../../api-error.ts';
import { showToast } from '../../../ui/toast-store.ts';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { refusalWords } from '../refusal-toast.ts';
import { followRole } from '../role-refusal.ts';
import { ask, findAmongNewest } from './ask-import.ts';
import { importRuns, progressOf, resultOf } from './import-runs.ts';
import { sayEnd, sayResults } from './result-words.ts';
import { type Refusal, signedOut } from './upload-checks.ts';

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
