// What was typed into a form when the session ended: kept in this tab for an hour, for the same address.
import { keepTypedText, readTypedText } from '../../sign-in-path.ts';

const KEPT_MS = 3_600_000;

/** The fields of a form that were filled in, by name; values are of JSON. */
export type Fields = [name: string, value: unknown][];
type Typed = { email: string; path: string; atMs: number; fields: Fields };

/** Keeps it, in the place of what was kept before. A form without a word in it is not kept. */
export function keepTyped(typed: Typed): void {
  if (typed.fields.length > 0) keepTypedText(JSON.stringify(typed));
}

/** What is kept of the form at `path` for this address; null when there is nothing, or nothing any more. */
export function readTyped(email: string, path: string, nowMs: number): Fields | null {
  const typed = JSON.parse(readTypedText() ?? 'null') as Typed | null;
  const isKept = typed?.email === email && typed.path === path && nowMs - typed.atMs < KEPT_MS;
  return isKept ? typed.fields : null;
}

/** Forgets it: it is in the form again. */
export function forgetTyped(): void {
  keepTypedText(null);
}
