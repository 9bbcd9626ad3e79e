// Texts about an upload of codes, and about an action on the upload: voiding its unused codes, or setting their last
// day.
import type { BatchActState, BatchRecord } from '@portal/contract';
import { isolate } from '../../ui/text.tsx';
import { formatNumber } from '../../words/format.ts';
import { plural, t, tCount, tServed } from '../../words/translate.ts';
import { formatDay } from '../time.ts';

export function fileNameOf({ file_name }: Pick<BatchRecord, 'file_name'>): string {
  return file_name ?? t('No file name');
}

export const formatCodes = plural('{count} code', '{count} codes');

export function formatLastDay({ free, use_by, use_by_mixed }: BatchRecord): string {
  if (free === 0) return t('None left.');
  if (use_by_mixed) return t('The available codes have several last days.');
  if (use_by === null) return t('The available codes have no last day.');
  return t('Last day of the available codes: {day}', { day: formatDay(use_by) });
}

/** `count` codes are unused and become void; `held` codes were handed out and do not change (R-LIFE-33). */
export function formatUnused(count: number, held: number): string {
  const unused = tCount(count, {
    one: '{count} code of this upload is unused.',
    other: '{count} codes of this upload are unused.',
  });
  const kept = tCount(held, {
    one: '{count} was handed out and stays.',
    other: '{count} were handed out and stay.',
  });
  return `${unused} ${kept}`;
}

/** Returns a sentence about the unused codes that other uploads contain too, with the names of those files. */
export function formatKept({ kept, kept_by }: Pick<BatchRecord, 'kept' | 'kept_by'>): string {
  const stay = tCount(kept, {
    one: '{count} of them stands in another upload too and stays available.',
    other: '{count} of them stand in another upload too and stay available.',
  });
  const files = kept_by.map(
    ({ file_name, codes }) => `${isolate(file_name ?? t('No file name'))} (${formatNumber(codes)})`,
  );
  return `${stay} ${t('Also in: {files}.', { files: files.join(', ') })}`;
}

/** `count` is 0 if other uploads name all codes. */
export function formatVoid(count: number): string {
  return count === 0
    ? t('Take back')
    : tCount(count, { one: 'Void {count} code', other: 'Void {count} codes' });
}

export function formatDated(count: number, held: number): string {
  const dated = tCount(count, {
    one: '{count} code of this upload is unused and gets this day.',
    other: '{count} codes of this upload are unused and get this day.',
  });
  const kept = tCount(held, {
    one: '{count} was handed out and keeps its own.',
    other: '{count} were handed out and keep theirs.',
  });
  return `${dated} ${kept}`;
}

/** For the error `count_changed`: there are `now` unused codes, but the dialog had shown `before`. */
export function formatCountChanged(now: number, before: number): string {
  const counts = t('{now} are unused now, not {before}:', { now, before });
  const more = tCount(now - before, {
    one: '{count} became free again meanwhile.',
    other: '{count} became free again meanwhile.',
  });
  return `${counts} ${more} ${t('Please look again.')}`;
}

export function formatRunning({ kind, rows_total }: BatchActState): string {
  if (kind === 'void')
    return tCount(rows_total, { one: 'Voiding {count} code', other: 'Voiding {count} codes' });
  return tCount(rows_total, {
    one: 'Setting the last day of {count} code',
    other: 'Setting the last day of {count} codes',
  });
}

/** The action may have stopped early. */
export function formatOutcome(action: BatchActState): string {
  const done =
    action.kind === 'void'
      ? tCount(action.results?.voided ?? 0, { one: '{count} code voided', other: '{count} codes voided' })
      : tCount(action.results?.changed ?? 0, {
          one: 'Last day set for {count} code',
          other: 'Last day set for {count} codes',
        });
  const gone = tCount(action.results?.handed_out_meanwhile ?? 0, {
    one: '{count} was handed out meanwhile',
    other: '{count} were handed out meanwhile',
  });
  const outcome = t('{done}, {gone}', { done, gone });
  const kept = action.kind === 'void' ? (action.results?.kept ?? 0) : 0;
  if (kept === 0) return outcome;
  const stay = tCount(kept, {
    one: '{count} stays with another upload',
    other: '{count} stay with another upload',
  });
  return `${outcome}, ${stay}`;
}

/** For an action that failed or was cancelled. */
export function formatActionStopped({ rows_done, rows_total, reason }: BatchActState): string {
  const extent = t('Stopped after {done} of {total} codes.', { done: rows_done, total: rows_total });
  return reason ? `${extent} ${tServed(reason)}` : extent;
}
