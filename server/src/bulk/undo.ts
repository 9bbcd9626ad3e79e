// Takes back an upload of people or of products (R-IMP-11, R-IMP-12): withdraws the grants that it made, removes its
// people from the cohort, and archives its products.

import type { UndoPreview } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database, Db } from '../db/database.ts';
import { leaveCohort, lockPeopleById } from '../features/cohorts/cohort-members.sql.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { cancelNotices } from '../features/people/ready-notices.sql.ts';
import { enqueueRunningJob } from '../jobs/jobs.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { setActAudited } from './batch-acts.sql.ts';
import { lockImportAt } from './imports.sql.ts';
import { runSteps, type StepResult, type WorkTools } from './run-bulk.ts';
import * as undo from './undo.sql.ts';
import {
  countUndo,
  countUndoneProducts,
  createUndo,
  findUndoTarget,
  lockUndoTarget,
  type UndoTarget,
} from './undo.sql.ts';
import type { UploadTools } from './uploads.ts';

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

// Number of people in one step. A step locks its people against other acts of staff. Learners who redeem do not wait.
const STEP_PEOPLE = 1_000;
const REASON = 'Upload taken back';

/**
 * Runs the job, beginning after the people who are done. Returns 'released' if the job is not done. The reasons: this
 * process stops, another process has claimed the job, or it was cancelled.
 */
export function runUndo(
  db: Database,
  id: string,
  tools: WorkTools,
  jobTools: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  const step = async (): Promise<StepResult> => {
    const job = await undo.findUndo(db, id);
    if (job?.state !== 'running') return 'gone';
    return db.transaction(async (tx) => {
      if (!(await lockImportAt(tx, id, job.rows_done))) return 'released';
      // Another process may have run a step that changed no row, but the phase.
      const locked = await undo.findUndo(tx, id);
      return locked === null ? 'released' : runStep(tx, locked, tools);
    });
  };
  return runSteps(step, tools, jobTools);
}

type Tools = Pick<WorkTools, 'now' | 'dayOf'>;
type Step = Partial<undo.UndoDetail> & { ends: boolean };

async function runStep(tx: Db, job: undo.UndoJob, tools: Tools): Promise<'ended' | 'goes on'> {
  const { ends, ...changes } = await (job.detail.phase === 'grants'
    ? withdrawStep(tx, job, tools)
    : leaveStep(tx, job));
  const detail = { ...job.detail, ...changes };
  const count = changesOf(detail) - changesOf(job.detail);
  await undo.addToUndo(tx, job, { count, detail, ends });
  if (ends) await auditUndo(tx, job.id);
  return ends ? 'ended' : 'goes on';
}

async function withdrawStep(
  tx: Db,
  { detail, created_by: actor, cohort_id }: undo.UndoJob,
  { now, dayOf }: Tools,
): Promise<Step> {
  const at = now();
  const by = { actor, reason: REASON, at, today: dayOf(at) };
  const ids = await undo.listNextPeople(tx, detail, { today: by.today, limit: STEP_PEOPLE });
  const sum = { ...detail };
  if (ids.length > 0) {
    await lockPeopleById(tx, ids);
    const { grants, people } = await undo.withdrawGrantsOf(tx, detail, { ...by, ids });
    const made = await undo.listLeftMembers(tx, detail, { ids });
    const left = await leave(tx, detail, { actor, cohort_id, ids, made });
    sum.grants += grants;
    sum.left += left.length;
    sum.people += new Set([...people, ...left]).size;
  }
  if (ids.length === STEP_PEOPLE) return { ...sum, after: ids.at(-1) ?? detail.after, ends: false };
  if (cohort_id !== null) return { ...sum, phase: 'members', after: '0', ends: false };
  // An upload of products made no grants.
  return { ...sum, products: await undo.archiveProductsOf(tx, detail, by), ends: true };
}

async function leaveStep(tx: Db, { detail, created_by: actor, cohort_id }: undo.UndoJob): Promise<Step> {
  const of = { cohort_id: cohort_id ?? '', limit: STEP_PEOPLE };
  const { ids, last } = await undo.listNextMembers(tx, detail, of);
  await lockPeopleById(tx, ids);
  // Read again: somebody may have removed and added them before they were locked.
  const made = await undo.listMadeMembers(tx, detail, { ...of, ids });
  const left = await leave(tx, detail, { actor, cohort_id, ids, made });
  const others = await undo.countOthers(tx, detail, { ids: left });
  const sum = { left: detail.left + left.length, people: detail.people + others };
  return { ...sum, after: last, ends: ids.length < STEP_PEOPLE };
}

/** Removes those of `made` whom nobody else made members too. Returns them. */
async function leave(
  tx: Db,
  detail: undo.UndoDetail,
  {
    actor,
    cohort_id,
    ids,
    made,
  }: { actor: string; cohort_id: string | null; ids: readonly string[]; made: readonly string[] },
): Promise<string[]> {
  if (cohort_id === null) return [];
  const leaving = await undo.handOverMembers(tx, detail, { cohort_id, ids, made });
  const by = { actor, reason: REASON, import_id: detail.undoes };
  if (leaving.length > 0) await leaveCohort(tx, { ...by, cohort_id, ids: leaving });
  return leaving;
}

const changesOf = ({ grants, left, products }: undo.UndoDetail) => grants + left + products;

/**
 * Writes the audit line of a job that is done, failed or cancelled, with what it has changed so far. Writes nothing if
 * `id` is the id of another job, or if an earlier line has these numbers already.
 */
export async function auditUndo(tx: Db, id: string): Promise<void> {
  const job = await undo.findUndo(tx, id);
  if (job === null) return;
  const { undoes, expected, people, grants, left, products, audited } = job.detail;
  const changes = changesOf(job.detail);
  if (changes === audited && changes > 0) return;
  await setActAudited(tx, id, changes);
  await createAuditLine(tx, {
    actor: job.created_by,
    action: 'import.undo',
    ...(job.cohort_id !== null && { cohort_id: job.cohort_id }),
    detail: { import_id: undoes, expected, people, grants, left, products },
  });
}
