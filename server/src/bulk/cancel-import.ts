// Cancels imports, and acts on many rows.
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { withOrigin } from '../features/log/origin.sql.ts';
import { cancelNotices } from '../features/people/ready-notices.sql.ts';
import { cancelJob, findJobData, originOfJob } from '../jobs/jobs.sql.ts';
import { lockImport, setImportState } from './imports.sql.ts';
import { auditBatchAct } from './run-batch-act.ts';
import { auditPeopleAct } from './run-people-act.ts';
import { auditUndo } from './run-undo.ts';

/**
 * Cancels a running or failed import, or an act on a batch of codes or on people. What is done stays as it is, and
 * a step that has begun is completed. Returns false if the import is done, was cancelled before, or does not exist.
 */
export async function cancelImport(
  db: Database,
  id: string,
  { now, actor }: { now: () => Date; actor: string },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Locks the job first and then the import. The functions that record a failure or retry a job use the same order.
    // With the opposite order here, two transactions could deadlock.
    const job = await findJobData(tx, { kind: 'import', key: id });
    await cancelJob(tx, { kind: 'import', key: id }, now());
    if (!(await lockImport(tx, id))) return false;
    await setImportState(tx, id, 'cancelled', null);
    // What an act has done so far was done by whoever started it, from where it was started.
    await withOrigin(originOfJob(job), async () => {
      await auditBatchAct(tx, id);
      await auditPeopleAct(tx, id);
      await auditUndo(tx, id);
    });
    await cancelNotices(tx, { import_id: id }, 'The upload was stopped.');
    await createAuditLine(tx, { actor, action: 'import.cancel', detail: { import_id: id } });
    return true;
  });
}
