// Runs an import: reads and checks the file, sends it, polls the progress, and shows the result.
import {
  type CheckedFile,
  type CsvKind,
  decodeCsv,
  type ImportResults,
  type ImportState,
  type RowError,
} from '@portal/contract';
import { listImports } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { ApiError } from '../../../api-error.ts';
import { showToast } from '../../../ui/toast-store.ts';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { refusalWords } from '../refusal-toast.ts';
import { followRole } from '../role-refusal.ts';
import { ask, findAmongNewest } from './ask-import.ts';
import { importRuns, NEW_RUN, progressOf, runOf } from './import-runs.ts';
import { sayEnd, sayResults } from './result-words.ts';
import { announceLarge, type Refusal, refuseFile, refuseText, signedOut } from './upload-checks.ts';

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

/** Body of an import request. The function `send` of an `ImportOrder` adds the selected products. */
export type Upload = { csvData: string; import_id: string; file_name: string };

type Imported = { results: Partial<ImportResults>; errors?: readonly RowError[] };

type ImportOrder = {
  kind: CsvKind;
  file: File;
  /**
   * Text after the number of rows in the summary: the name of the product to which the rows belong, or a text such as
   * '2 products'. Null if the summary names no product.
   */
  target: string | null;
  /** Makes the API call that imports the file. Rejects if the call fails. */
  send: (upload: Upload) => Promise<Imported | CheckedFile>;
};

/**
 * Imports a file that `refuseUpload` has accepted. Resolves after the result is shown. Never rejects: errors are shown
 * as toasts.
 */
export async function runImport({ kind, file, target, send }: ImportOrder): Promise<void> {
  const csvData = await readCsv(file);
  if (csvData === null) {
    // The file could not be read as text (R-ERR-11).
    return tellRefused(kind, file.name, refuseFile(say('Error'), say('Failed to process CSV upload')));
  }
  const refusal = refuseText(csvData);
  if (refusal) return tellRefused(kind, file.name, refusal);
  const large = announceLarge(kind, csvData);
  if (large) showToast(large);

  const id = randomUuid();
  const startedAtMs = Date.now();
  const fileName = file.name.slice(0, 255);
  importRuns.start({ ...NEW_RUN, id, kind, fileName, sizeBytes: file.size, target, startedAtMs });
  const stopWatching = watch(id, kind);
  try {
    const reply = await send({ csvData, import_id: id, file_name: fileName });
    // Only an upload that asks for a check gets a response without results.
    const { results, errors } = 'results' in reply ? reply : { results: {}, errors: reply.errors };
    // The response to an import of products contains no number of duplicates. So the counts come from the state of the
    // import.
    const said = kind === 'products' ? await ask(id) : null;
    const counted = typeof said === 'object' ? said?.results : null;
    finish(id, kind, counted ?? completed(results), errors ?? []);
  } catch (error) {
    await recover(id, kind, error);
  } finally {
    stopWatching();
  }
}

/**
 * Shows the running import of this kind that the server reports. Does nothing if the page already shows an import of
 * this kind.
 */
export async function resumeImport(kind: CsvKind): Promise<void> {
  if (importRuns.get(kind)) return;
  const states = await call(listImports).catch(() => []);
  const running = states.find((state) => state.kind === kind && state.state === 'running');
  if (!running || importRuns.get(kind)) return;
  importRuns.start(runOf(running));
  await waitForEnd(running.id, kind, null);
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
// the result.
async function recover(id: string, kind: CsvKind, error: unknown): Promise<void> {
  if (error instanceof ApiError && !LOST.includes(error.status)) return fail(kind, error);
  await waitForEnd(id, kind, error);
}

async function waitForEnd(id: string, kind: CsvKind, cause: unknown): Promise<void> {
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
    ...rows,
    results,
    errors,
    errorsCount,
    endedAtMs: Date.now(),
  });
  showToast(sayResults(kind, results));
  refreshLists(kind);
}

/** Shows a failed or cancelled import and its counts, until the user dismisses the summary. */
function end({
  id,
  kind,
  state,
  reason,
  results,
  errors,
  errors_count,
  rows_done,
  rows_total,
}: ImportState): void {
  importRuns.update(id, kind, {
    ...{ state, reason: reason ?? '', results, errors, errorsCount: errors_count },
    ...{ rowsDone: rows_done, rowsTotal: rows_total, endedAtMs: Date.now() },
  });
  showToast(sayEnd(state, reason));
  refreshLists(kind);
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
    tellRefused(kind, fileName, isRefused ? { ...words, reason: words.description } : words);
  }
}

async function readCsv(file: File): Promise<string | null> {
  try {
    return decodeCsv(new Uint8Array(await file.arrayBuffer()));
  } catch {
    return null;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// Returns a random UUID. `crypto.randomUUID` does not exist on pages without TLS.
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
