// Makes sure that a form that is sent several times creates one thing (N-325).
import { hash } from 'node:crypto';
import { AppError } from '../app-error.ts';
import type { Db } from '../db/database.ts';
import { markSent } from './sent-forms.sql.ts';

/**
 * Returns true if the form is sent for the first time, or has no id. Returns false if the same form was sent with this id
 * before. @throws AppError id_in_use if another form was.
 */
export async function isFirstSent(tx: Db, id: string | undefined, form: unknown): Promise<boolean> {
  if (id === undefined) return true;
  const digest = hash('sha256', JSON.stringify(form));
  const first = await markSent(tx, { id, digest });
  if (first !== null && first !== digest) throw idInUse();
  return first === null;
}

/** The error of a form whose id belongs to something else. */
export function idInUse(): AppError {
  return new AppError('id_in_use', 'This id was used for something else.');
}
