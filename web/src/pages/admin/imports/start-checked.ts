// Imports or discards a file that was checked (R-IMP-02, R-IMP-03).

import { discardImport, startImport } from '@portal/contract';
import { call } from '../../../api.ts';
import { focusMain } from '../../../ui/focus-main.ts';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { follow } from './follow-import.ts';
import { type ImportRun, importRuns } from './import-runs.ts';

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
