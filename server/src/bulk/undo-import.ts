// Takes back an upload of people or of products: says what that does, and starts the job (R-IMP-11, R-IMP-12).
import type { UndoPreview } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database, Db } from '../db/database.ts';
import { cancelNotices } from '../features/people/ready-notices.sql.ts';
import { enqueueRunningJob } from '../jobs/jobs.sql.ts';
import type { UploadTools } from './import-csv.ts';
import { createUndo, findUndoTarget, lockUndoTarget, type UndoTarget } from './undo.sql.ts';
import { countUndo, countUndoneProducts } from './undo-counts.sql.ts';

// If at most this number of changes is made, the response is sent after the job has ended. Else it is sent at once.
const AT_ONCE = 5_000;
const NOTHING = { grants: 0, people: 0, holding: 0, kept: 0, lengthened: 0, products: 0, products_kept: 0 };

/**
 * Returns what taking back the upload would do. `id` must be a UUID.
 * @throws AppError not_found; invalid_request if the job is no upload of people or products; log_pruned if the log does
 * not say any more what the upload made.
 */
export async function previewUndo(
  db: Db,
  id: string,
  { now, dayOf }: Pick<UploadTools, 'now' | 'dayOf'>,
): Promise<UndoPreview> {
  const { changes: _, ...preview } = await count(db, await requireTarget(db, id), dayOf(now()));
  return preview;
}

/**
 * Starts a job that takes back the upload, and returns the id of the job. A second call returns the id of the first job.
 * `expected` is the number of people, or of products, that staff saw. `id` must be a UUID.
 * @throws AppError not_found; invalid_request if the job is no upload of people or products, or nothing was imported;
 * import_running if the import has not ended; count_changed if more people or products than `expected` are concerned;
 * log_pruned if the log does not say any more what the upload made.
 */
export async function undoImport(
  db: Database,
  { id, actor, expected }: { id: string; actor: string; expected: number },
  { now, dayOf, randomUuid, runJob }: UploadTools,
): Promise<string> {
  const job_id = randomUuid();
  const started = await db.transaction(async (tx) => {
    await lockUndoTarget(tx, id);
    const target = await requireTarget(tx, id);
    if (target.undo_job !== null) return { id: target.undo_job, job: null, rows_total: 0 };
    refuseUnfinished(target);
    const { people, products, changes: rows_total } = await count(tx, target, dayOf(now()));
    const concerned = target.kind === 'products' ? products : people;
    if (concerned > expected)
      throw new AppError('count_changed', `More would change now than you saw: ${concerned}.`, {
        count: concerned,
      });
    const progress = { phase: 'grants', after: '0', audited: 0 } as const;
    const detail = { ...progress, undoes: target.id, expected, people: 0, grants: 0, left: 0, products: 0 };
    await createUndo(tx, { id: job_id, target, created_by: actor, rows_total, detail });
    await cancelNotices(tx, { import_id: target.id }, 'The upload was taken back.');
    const order = { kind: 'import', key: job_id, data: { about: target.file_name } } as const;
    return { id: job_id, job: await enqueueRunningJob(tx, order, now()), rows_total };
  });
  // An error of the job is not an error of this call. The job stays in the queue, and its state shows how much is done.
  const work = started.job === null ? null : runJob(started.job).catch(() => undefined);
  if (started.rows_total <= AT_ONCE) await work;
  return started.id;
}

function refuseUnfinished({ state }: UndoTarget): void {
  if (state === 'running' || state === 'checking' || state === 'failed')
    throw new AppError('import_running', 'This upload has not ended. Wait for its end, or cancel it first.');
  if (state === 'checked' || state === 'refused')
    throw new AppError('invalid_request', 'Nothing of this file was imported.');
}

async function requireTarget(db: Db, id: string): Promise<UndoTarget> {
  const target = await findUndoTarget(db, id);
  if (target === null) throw new AppError('not_found', 'Import not found');
  if (target.kind === 'coupons')
    throw new AppError(
      'invalid_request',
      'Codes are taken back by making the free codes of the upload void.',
    );
  if (target.kind !== 'users' && target.kind !== 'products')
    throw new AppError('invalid_request', 'Only uploads can be taken back.');
  return target;
}

/**
 * `changes` is the number of grants and memberships that end and of products that are archived.
 * @throws AppError log_pruned. Only the log says which memberships and products an upload made.
 */
async function count(db: Db, target: UndoTarget, today: string): Promise<UndoPreview & { changes: number }> {
  if (target.kind === 'products') {
    const { added, ...counts } = await countUndoneProducts(db, target.id);
    refusePruned(target.success, added);
    return { ...NOTHING, ...counts, changes: counts.products };
  }
  const { joined, lines, ...counts } = await countUndo(db, target, today);
  refusePruned(target.joined, lines);
  return { ...NOTHING, ...counts, lengthened: target.lengthened, changes: counts.grants + joined };
}

/** Compares the number of things that an upload made with the number of lines in the log that say so (N-321). */
function refusePruned(made: number, lines: number): void {
  if (lines < made)
    throw new AppError(
      'log_pruned',
      'This upload cannot be taken back any more: the lines of the log that say what it made were removed.',
    );
}
