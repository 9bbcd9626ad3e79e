// Stores the values of a form when the session ends: in this tab, for one hour, for the same email address.
import { keepTypedText, readTypedText } from '../../sign-in-path.ts';

const KEPT_MS = 3_600_000;

/** The filled-in fields of a form. Each value can be written as JSON. */
export type Fields = [name: string, value: unknown][];
type Typed = { email: string; path: string; atMs: number; fields: Fields };

/** Stores the fields and replaces the stored ones. An empty form is not stored and replaces nothing. */
export function keepTyped(typed: Typed): void {
  if (typed.fields.length > 0) keepTypedText(JSON.stringify(typed));
}

/** Returns the stored fields of the form at `path` for this address, or null if there are none or they expired. */
export function readTyped(email: string, path: string, nowMs: number): Fields | null {
  const typed = JSON.parse(readTypedText() ?? 'null') as Typed | null;
  const isKept = typed?.email === email && typed.path === path && nowMs - typed.atMs < KEPT_MS;
  return isKept ? typed.fields : null;
}

/** Removes the stored fields. Called when the form has them again. */
export function forgetTyped(): void {
  keepTypedText(null);
}
