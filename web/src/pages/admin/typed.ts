// Stores the values of a form when the session ends. The values are kept in this tab for one hour, and only for the
// same email address.
import { keepTypedText, readTypedText } from '../../sign-in-path.ts';

const KEPT_MS = 3_600_000;

/** The fields of a form that the user has filled in. Each value can be written as JSON. */
export type Fields = [name: string, value: unknown][];
type Typed = { email: string; path: string; atMs: number; fields: Fields };

/** Stores the fields in place of those that were stored before. Does nothing if no field is filled in. */
export function keepTyped(typed: Typed): void {
  if (typed.fields.length > 0) keepTypedText(JSON.stringify(typed));
}

/**
 * Returns the stored fields of the form at `path`. Returns null if no fields are stored, if the fields belong to
 * another email address or form, or if they are older than an hour.
 */
export function readTyped(email: string, path: string, nowMs: number): Fields | null {
  const typed = JSON.parse(readTypedText() ?? 'null') as Typed | null;
  const isKept = typed?.email === email && typed.path === path && nowMs - typed.atMs < KEPT_MS;
  return isKept ? typed.fields : null;
}

/** Deletes the stored fields. Called after the form has shown them again. */
export function forgetTyped(): void {
  keepTypedText(null);
}
