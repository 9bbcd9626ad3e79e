// Texts about an upload of codes, and about an action on the upload: voiding its unused codes, or setting their last
// day.
import type { BatchActState, BatchRecord } from '@portal/contract';
import { isolate } from '../../ui/text.tsx';
import { sayDay, sayNumber } from '../../words/format.ts';
import { plural, say, sayCount, sayServed } from '../../words/say.ts';

export function fileNameOf({ file_name }: Pick<BatchRecord, 'file_name'>): string {
  return file_name ?? say('No file name');
}

export const sayCodes = plural('{count} code', '{count} codes');

export function sayLastDay({ free, use_by, use_by_mixed }: BatchRecord): string {
  if (free === 0) return say('None is available any more.');
  if (use_by_mixed) return say('The available codes have several last days.');
  if (use_by === null) return say('The available codes have no last day.');
  return say('Last day of the available codes: {day}', { day: sayDay(use_by) });
}

/** `count` codes are unused and become void; `held` codes were handed out and do not change (R-LIFE-33). */
export function sayUnused(count: number, held: number): string {
  const unused = sayCount(count, {
    one: '{count} code of this upload is unused.',
    other: '{count} codes of this upload are unused.',
  });
  const kept = sayCount(held, {
    one: '{count} was handed out and stays.',
    other: '{count} were handed out and stay.',
  });
  return `${unused} ${kept}`;
}

/** About the unused codes that another upload names too, and the files of these uploads. */
export function sayKept({ kept, kept_by }: Pick<BatchRecord, 'kept' | 'kept_by'>): string {
  const stay = sayCount(kept, {
    one: '{count} of them stands in another upload too and stays available.',
    other: '{count} of them stand in another upload too and stay available.',
  });
  const files = kept_by.map(
    ({ file_name, codes }) => `${isolate(file_name ?? say('No file name'))} (${sayNumber(codes)})`,
  );
  return `${stay} ${say('Also in: {files}.', { files: files.join(', ') })}`;
}

/** `count` is 0 if other uploads name all codes. */
export function sayVoid(count: number): string {
  return count === 0
    ? say('Take back')
    : sayCount(count, { one: 'Void {count} code', other: 'Void {count} codes' });
}

export function sayDated(count: number, held: number): string {
  const dated = sayCount(count, {
    one: '{count} code of this upload is unused and gets this day.',
    other: '{count} codes of this upload are unused and get this day.',
  });
  const kept = sayCount(held, {
    one: '{count} was handed out and keeps its own.',
    other: '{count} were handed out and keep theirs.',
  });
  return `${dated} ${kept}`;
}

/** For the error `count_changed`: the server found `now` unused codes, but the dialog had shown `before`. */
export function sayCountChanged(now: number, before: number): string {
  const figures = { now: sayNumber(now), before: sayNumber(before) };
  const counts = say('{now} are unused now, not {before}:', figures);
  const more = sayCount(now - before, {
    one: '{count} became free again meanwhile.',
    other: '{count} became free again meanwhile.',
  });
  return `${counts} ${more} ${say('Please look again.')}`;
}

export function sayRunning({ kind, rows_total }: BatchActState): string {
  if (kind === 'void')
    return sayCount(rows_total, { one: 'Voiding {count} code', other: 'Voiding {count} codes' });
  return sayCount(rows_total, {
    one: 'Setting the last day of {count} code',
    other: 'Setting the last day of {count} codes',
  });
}

/** The action may have stopped early. */
export function sayOutcome(act: BatchActState): string {
  const done =
    act.kind === 'void'
      ? sayCount(act.results?.voided ?? 0, { one: '{count} code voided', other: '{count} codes voided' })
      : sayCount(act.results?.changed ?? 0, {
          one: 'Last day set for {count} code',
          other: 'Last day set for {count} codes',
        });
  const gone = sayCount(act.results?.handed_out_meanwhile ?? 0, {
    one: '{count} was handed out meanwhile',
    other: '{count} were handed out meanwhile',
  });
  const outcome = say('{done}, {gone}', { done, gone });
  const kept = act.kind === 'void' ? (act.results?.kept ?? 0) : 0;
  if (kept === 0) return outcome;
  const stay = sayCount(kept, {
    one: '{count} stays with another upload',
    other: '{count} stay with another upload',
  });
  return `${outcome}, ${stay}`;
}

/** For an action that failed or was cancelled. */
export function sayActStopped({ rows_done, rows_total, reason }: BatchActState): string {
  const extent = say('Stopped after {done} of {total} codes.', {
    done: sayNumber(rows_done),
    total: sayNumber(rows_total),
  });
  return reason ? `${extent} ${sayServed(reason)}` : extent;
}
