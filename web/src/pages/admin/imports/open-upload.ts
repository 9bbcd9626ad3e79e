// Shows an upload of the list on its page: a running one with its progress, a checked one with its result, and one that
// has ended with its summary (R-IMP-16).
import type { ImportState } from '@portal/contract';
import { say } from '../../../words/say.ts';
import { tellError } from '../refusal-toast.ts';
import { ask } from './ask-import.ts';
import { waitForEnd } from './follow-import.ts';
import { importRuns, runOf } from './import-runs.ts';

/** Shows the upload in place of the one that its page shows. A running import of this page goes on. */
export async function openUpload({ id, kind }: Pick<ImportState, 'id' | 'kind'>): Promise<void> {
  const state = await ask(id);
  if (state === 'refused') return;
  if (typeof state === 'string') return tellError(say('We could not load this upload.'));
  importRuns.get(kind)?.question?.answer(null);
  importRuns.start({ ...runOf(state), isNews: true });
  if (state.state === 'running') await waitForEnd(id, kind, null);
}
