// Hook that returns the current or last import of one kind.
import type { CsvKind } from '@portal/contract';
import { useEffect, useSyncExternalStore } from 'react';
import { type ImportRun, importRuns } from './import-runs.ts';
import { resumeImport } from './run-import.ts';

/**
 * Returns the current or last import of a kind. Also asks the server for a running import that another page started.
 */
export function useImportRun(kind: CsvKind): ImportRun | undefined {
  useEffect(() => {
    void resumeImport(kind);
  }, [kind]);
  return useSyncExternalStore(importRuns.subscribe, () => importRuns.get(kind));
}
