// Store of imports: for each kind of CSV file, the running import or the last one. The store is global, because an
// import continues after the user leaves its page.
import type {
  CsvKind,
  CsvOptions,
  FoundColumns,
  ImportPreview,
  ImportResults,
  ImportSample,
  ImportState,
  RowError,
} from '@portal/contract';
import { say, sayCount, sayServed } from '../../../words/say.ts';
import type { StaffQuestion } from './file-questions.ts';

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
export function resultOf(state: ImportState): Partial<ImportRun> {
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
