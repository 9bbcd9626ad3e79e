// Imports under way and just ended, one a kind. They live beside the pages: an import goes on when its page is left.
import type { CsvKind, ImportResults, ImportState, RowError } from '@portal/contract';
import { say, sayCount } from '../../../words/say.ts';

/** An import as its page shows it. */
export type ImportRun = {
  id: string;
  kind: CsvKind;
  fileName: string;
  /** Null when another page started it. */
  sizeBytes: number | null;
  /** What the rows are given to, such as 'Merrowcode'; null when another page started it. */
  target: string | null;
  startedAtMs: number;
  state: ImportState['state'] | 'refused';
  rowsDone: number;
  /** 0 until the server has counted. */
  rowsTotal: number;
  results: ImportResults | null;
  errors: readonly RowError[];
  errorsCount: number;
  endedAtMs: number | null;
  /** Why a refused file was not imported; else empty. */
  reason: string;
};

/** What is known of a run that has only begun. */
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

/** Makes a store of runs; the pages share the one below. */
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
    /** Notes a file that was not imported, in the place of the run before. */
    refuse: (kind: CsvKind, fileName: string, reason: string) =>
      set(kind, { ...NEW_RUN, id: '', kind, fileName, state: 'refused', reason }),
    /** Takes over what the server says of a run; of one that is no longer shown nothing is taken. */
    update: (id: string, kind: CsvKind, said: Partial<ImportRun>) => {
      const run = runs[kind];
      if (run?.id === id) set(kind, { ...run, ...said });
    },
    remove: (kind: CsvKind) => set(kind, undefined),
  };
}

export const importRuns = createImportRuns();

/** What the server's answer says of a run. An older answer, overtaken by a newer one, does not turn the bar back. */
export function progressOf(state: ImportState, rowsDone = 0): Partial<ImportRun> {
  return { rowsDone: Math.max(state.rows_done, rowsDone), rowsTotal: state.rows_total };
}

/** A run that another page, or this one before it was left, has started. */
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

/** How long the rest takes at the speed so far, in words; empty while nobody can know. */
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
