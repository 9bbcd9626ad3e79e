// Runs the job of an import in batches. An interrupted import continues after the rows that are done.
import type { Database, Db } from '../db/database.ts';
import type { RandomBytes } from '../features/codes/coupon-code.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { enqueueJob } from '../jobs/jobs.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { createPauses, type WorkTools } from './give-way.ts';
import { createImportErrors, createImportRows } from './import-rows.sql.ts';
import { importRows } from './import-rows.ts';
import { findImportState } from './import-states.sql.ts';
import { addToImport, findImport, finishImport, type ImportJob, lockImportAt } from './imports.sql.ts';
import { BATCH_ROWS, type CsvRecord, readCsv, takeBatches } from './read-csv.ts';

/** Dependencies of `runImport`, the job that imports the rows. */
export type ImportTools = WorkTools & { randomBytes: RandomBytes };

/**
 * Runs the job of an import. Continues after the rows that were imported before.
 * Returns 'released' if the import is not done. The reasons: this process stops, another process has claimed the job,
 * or the import was cancelled.
 */
export async function runImport(
  db: Database,
  job: ImportJob & { source: string },
  tools: ImportTools,
  { renew }: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  if (tools.isStopping()) return 'released';
  if (job.state !== 'running') return;
  let position = 0;
  const giveWay = createPauses(tools);
  for await (const batch of takeBatches(readCsv(job.kind, job.source, job.detail), BATCH_ROWS[db.engine])) {
    // Skips the records that were imported before the job was interrupted.
    const records = batch.slice(Math.max(job.rows_done - position, 0));
    const from = position + batch.length - records.length;
    position += batch.length;
    if (records.length === 0) continue;
    // `importBatch` returns false if another process has imported these rows or the import was cancelled.
    const mayContinue =
      !tools.isStopping() && (await importBatch(db, job, { from, records }, tools)) && (await renew());
    if (!mayContinue) return 'released';
    await giveWay();
  }
  await db.transaction(async (tx) => {
    if (!(await finishImport(tx, job.id))) return;
    await auditImport(tx, job.id, 'import.done');
    if (position > ANALYSED_ROWS) await enqueueAnalysis(tx, tools.now());
  });
  return;
}

/**
 * The statistics of the query planner are updated after an import of more rows, and once while it runs: it may have
 * filled an empty table, and without new statistics, plans for the empty table stay in use.
 */
const ANALYSED_ROWS = 10_000;

// A job of its own: `analyze` takes seconds, and a member of the team waits for the call that runs the import.
async function enqueueAnalysis(tx: Db, now: Date): Promise<void> {
  await enqueueJob(tx, { kind: 'analyse-tables', key: '' }, now);
}

/**
 * Writes the audit line of an import that is done or has failed, with its counts and the reason. Writes nothing if `id`
 * is the id of an act on a batch of codes; see `auditBatchAct`.
 */
export async function auditImport(tx: Db, id: string, action: 'import.done' | 'import.fail'): Promise<void> {
  const [job, state] = [await findImport(tx, id), await findImportState(tx, id, 0)];
  if (job === null || state === null) return;
  const { kind, file_name, reason, results } = state;
  await createAuditLine(tx, {
    actor: job.created_by,
    action,
    ...(job.batch_id !== null && { batch_id: job.batch_id, product_id: job.product_ids[0] }),
    ...(job.cohort_id !== null && { cohort_id: job.cohort_id }),
    detail: { import_id: id, kind, file_name, ...(reason !== null && { reason }), ...results },
  });
}

async function importBatch(
  db: Database,
  job: ImportJob,
  { from, records }: { from: number; records: CsvRecord[] },
  { randomBytes, now, dayOf }: ImportTools,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockImportAt(tx, job.id, from))) return false;
    const at = now();
    const tools = { randomBytes, now: at, today: dayOf(at) };
    const { errors, duplicateRows, generatedRows, ...tally } = await importRows(tx, job, records, tools);
    if (errors.length > 0) await createImportErrors(tx, job.id, errors);
    await createImportRows(tx, job.id, 'duplicate', duplicateRows);
    await createImportRows(tx, job.id, 'generated', generatedRows);
    await addToImport(tx, job.id, tally);
    const end = from + records.length;
    if (from <= ANALYSED_ROWS && end > ANALYSED_ROWS) await enqueueAnalysis(tx, at);
    return true;
  });
}
