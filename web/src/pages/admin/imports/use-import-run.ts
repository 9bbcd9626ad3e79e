// The import of one kind, for components.
import type { CsvKind } from '@portal/contract';
import { useEffect, useSyncExternalStore } from 'react';
import { type ImportRun, importRuns } from './import-runs.ts';
import { resumeImport } from './run-import.ts';

/** The import under way or just ended; one that another page started is found and shown. */
export function useImportRun(kind: CsvKind): ImportRun | undefined {
  useEffect(() => {
    void resumeImport(kind);
  }, [kind]);
  return useSyncExternalStore(importRuns.subscribe, () => importRuns.get(kind));
}
