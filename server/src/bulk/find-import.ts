// Finds an import, or another job of staff that changes many rows.
import type { ImportState, JobState } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Db } from '../db/database.ts';
import { isUuid } from '../db/is-uuid.ts';
import { findJobState, isImport, type WithUploader } from './import-states.sql.ts';

/**
 * Returns the state of an import or of an act on many rows. The state contains the first invalid rows, at most `named`.
 * @throws AppError not_found.
 */
export async function requireJob(db: Db, id: string, named: number): Promise<JobState & WithUploader> {
  const state = isUuid(id) ? await findJobState(db, id, named) : null;
  if (state === null) throw new AppError('not_found', 'Import not found');
  return state;
}

/**
 * Returns the state of an import of a file, without its invalid rows.
 * @throws AppError not_found.
 */
export async function requireImport(db: Db, id: string): Promise<ImportState & WithUploader> {
  const state = await requireJob(db, id, 0);
  if (!isImport(state)) throw new AppError('not_found', 'Import not found');
  return state;
}
