// Texts of the lists of uploads: the state of each upload, and its counts (R-IMP-16).
import type { ImportState } from '@portal/contract';
import type { CellWords } from '../../../ui/columns.ts';
import { cutWords } from '../../../ui/columns.ts';
import { sayNumber } from '../../../words/format.ts';
import { say, sayServed } from '../../../words/say.ts';

const sayStates: Record<ImportState['state'], () => string> = {
  running: () => say('Running'),
  checked: () => say('Checked'),
  done: () => say('Imported'),
  failed: () => say('Failed'),
  refused: () => say('Refused'),
  cancelled: () => say('Cancelled'),
  taken_back: () => say('Taken back'),
};

export function sayState({ state, checking, waits }: ImportState): string {
  if (waits) return say('Waiting for another file');
  return checking ? say('Being checked') : sayStates[state]();
}

/** Returns the counts of the upload, or why its file was refused. */
export function countWords({
  state,
  reason,
  results,
  preview,
  rows_done,
  rows_total,
}: ImportState): CellWords {
  if (state === 'refused') return cutWords(sayServed(reason ?? ''), 80);
  if (state === 'checked') return { text: say('{count} new', { count: sayNumber(preview?.new ?? 0) }) };
  if (!results)
    return {
      text: say('{done} of {total} rows', { done: sayNumber(rows_done), total: sayNumber(rows_total) }),
    };
  const { success, failures } = results;
  const created = say('{count} created', { count: sayNumber(success) });
  const failed = say('{count} failed', { count: sayNumber(failures) });
  return { text: failures > 0 ? `${created}, ${failed}` : created };
}
