// Imports or discards a file that was checked before (R-IMP-02, R-IMP-03).
import type { ImportState } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { requireProducts, unknownProduct } from '../features/access/require-products.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { enqueueRunningJob } from '../jobs/jobs.sql.ts';
import { beginImport, deleteChecked, lockChecked } from './checks.sql.ts';
import { createFileBatch, finishUpload, type UploadTools } from './import-csv.ts';
import type { WithUploader } from './import-states.sql.ts';

/**
 * Imports the file that was checked, and returns the state of the import. A second call imports nothing and returns the
 * state of the import.
 * @throws AppError not_found if there is no such file, or it was discarded or cancelled before; import_running if the file is
 * still being checked; product_not_found if a product was archived after the check. People may join an archived cohort,
 * by a file as by hand.
 */
export async function startChecked(
  db: Database,
  { id, actor }: { id: string; actor: string },
  tools: UploadTools,
): Promise<ImportState & WithUploader> {
  const job = await db.transaction(async (tx) => {
    const file = await lockChecked(tx, id);
    if (file === null) return null;
    const { kind, product_ids, cohort_id, rows_total } = file;
    const file_name = file.file_name ?? undefined;
    await requireProducts(tx, product_ids, kind === 'users' ? unknownProduct() : undefined);
    const [product_id = ''] = product_ids;
    const batch_id = kind === 'coupons' ? await createFileBatch(tx, product_id, { file_name, actor }) : null;
    await beginImport(tx, id, { actor, batch_id });
    await createAuditLine(tx, {
      actor,
      action: 'import.start',
      ...(batch_id !== null && { batch_id, product_id }),
      ...(cohort_id !== null && { cohort_id }),
      detail: { import_id: id, kind, file_name, rows_total },
    });
    return enqueueRunningJob(tx, { kind: 'import', key: id, data: { about: file_name } }, tools.now());
  });
  const state = await finishUpload(db, id, job, tools);
  if (state.checking) throw new AppError('import_running', 'This file is still being checked.');
  // The call that started an import says that the import was cancelled meanwhile. For other calls, the file is gone.
  if (state.state === 'refused' || (state.state === 'cancelled' && job === null))
    throw new AppError('not_found', 'Import not found');
  return state;
}

/**
 * Deletes a checked file.
 * @throws AppError not_found if there is no checked file with this id.
 */
export async function discardChecked(
  db: Database,
  { id, actor }: { id: string; actor: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const file = await lockChecked(tx, id);
    if (file === null) throw new AppError('not_found', 'Import not found');
    await deleteChecked(tx, id);
    const { kind, file_name } = file;
    await createAuditLine(tx, {
      actor,
      action: 'import.discard',
      detail: { import_id: id, kind, ...(file_name !== null && { file_name }) },
    });
  });
}
