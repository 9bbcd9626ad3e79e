// Store of the running or last import of each kind. It is global, because an import continues when its page is left.
import type { CsvKind, ImportResults, ImportState, RowError } from '@portal/contract';
import { say, sayCount } from '../../../words/say.ts';

/** An import as the page shows it. State `refused`: the file was rejected and nothing was imported. */
export type ImportRun = {
  id: string;
  kind: CsvKind;
  fileName: string;
  /** Null if another page started the import. */
  sizeBytes: number | null;
  /** Product name or product count for the rows, for example 'Merrowcode'. Null if unknown or not needed. */
  target: string | null;
  startedAtMs: number;
  state: ImportState['state'] | 'refused';
  rowsDone: number;
  /** 0 until the server has counted the rows. */
  rowsTotal: number;
  results: ImportResults | null;
  errors: readonly RowError[];
  errorsCount: number;
  endedAtMs: number | null;
  /** Why the file was refused or the import failed; empty otherwise. */
  reason: string;
};

/** Initial values of a run. */
export const NEW_RUN = {
  sizeBytes: null,
  target: null,
  startedAtMs: 0,
  state: 'running',
  rowsDone: 0,
  rowsTotal: 0,
  results: null,
  errors: [],
  errorsCount: 0,
  endedAtMs: null,
  reason: '',
} as const;

/** Creates a store of runs. The pages share `importRuns`; tests create their own. */
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
    /** Replaces the run of this kind with a refused file. */
    refuse: (kind: CsvKind, fileName: string, reason: string) =>
      set(kind, { ...NEW_RUN, id: '', kind, fileName, state: 'refused', reason }),
    /** Updates a run with new values. Ignores a run that is no longer shown. */
    update: (id: string, kind: CsvKind, said: Partial<ImportRun>) => {
      const run = runs[kind];
      if (run?.id === id) set(kind, { ...run, ...said });
    },
    remove: (kind: CsvKind) => set(kind, undefined),
  };
}

export const importRuns = createImportRuns();

/** Returns the progress from a response. `rowsDone` never decreases, because responses can arrive out of order. */
export function progressOf(state: ImportState, rowsDone = 0): Partial<ImportRun> {
  return { rowsDone: Math.max(state.rows_done, rowsDone), rowsTotal: state.rows_total };
}

/** Returns a run for an import that was started by another page, or by this page before a reload. */
export function runOf(state: ImportState): ImportRun {
  return {
    ...NEW_RUN,
    id: state.id,
    kind: state.kind,
    fileName: state.file_name ?? say('CSV file'),
    startedAtMs: Date.parse(state.created_at),
    rowsDone: state.rows_done,
    rowsTotal: state.rows_total,
  };
}

/**
 * Returns the estimated time left as text, from the average speed so far. Empty without an estimate and if less than
 * 2 seconds are left.
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
