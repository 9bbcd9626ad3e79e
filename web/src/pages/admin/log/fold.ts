// Groups lines of the log by day. Folds acts of the same second, actor and name into one entry (R-TRAIL-51).
import type { AuditLine } from '@portal/contract';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { findAct } from './acts.ts';
import type { ProductNames } from './line-words.ts';

/** One line of the list: a line of the log, or several folded lines, newest first. `key` is the id of the newest. */
export type Entry = { key: string; newest: AuditLine; lines: AuditLine[] };

/** `at` is the time of the newest line. */
export type Day = { key: string; at: string; entries: Entry[] };

/**
 * Groups `lines`, which are sorted by id, newest first. Keeps this order: if the clock of the server went back, a day
 * can appear twice (R-TRAIL-62).
 */
export function groupByDay(lines: readonly AuditLine[], names: ProductNames): Day[] {
  const days: Day[] = [];
  let folds = new Map<string, Entry>();
  for (const line of lines) {
    let day = days.at(-1);
    if (!day || dayOf(day.at) !== dayOf(line.at)) {
      day = { key: line.id, at: line.at, entries: [] };
      days.push(day);
      folds = new Map();
    }
    const key = foldKeyOf(line, names);
    const same = key === null ? undefined : folds.get(key);
    if (same) {
      same.lines.push(line);
      continue;
    }
    const entry = { key: line.id, newest: line, lines: [line] };
    day.entries.push(entry);
    if (key !== null) folds.set(key, entry);
  }
  return days;
}

/** Returns the day of a time in the browser's time zone, as a string to compare. */
function dayOf(at: string): string {
  return new Date(at).toDateString();
}

/** Returns a string that is equal for lines that are folded. Returns null for a note, because each note is shown. */
function foldKeyOf(line: AuditLine, names: ProductNames): string | null {
  const { action, actor, at } = line;
  if (action === 'note.add') return null;
  const act = findAct(action);
  const sentence = act && !act.sayMany ? act.say(line, names) : '';
  return JSON.stringify([at.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length), actor, action, sentence]);
}

/** Returns the sentence of an entry. Returns null if the act has no words. The sentence of a fold contains its count. */
export function sayEntry({ newest, lines }: Entry, names: ProductNames): string | null {
  const act = findAct(newest.action);
  if (!act) return null;
  if (lines.length === 1) return act.say(newest, names);
  if (act.sayMany) return act.sayMany(lines, names);
  return say('{what}, {count} times', { what: act.say(newest, names), count: sayNumber(lines.length) });
}
