// Undoes an upload of people or products (R-IMP-11, R-IMP-12): withdraws the grants of the upload, removes its people
// from the cohort, and archives its products.

import type { UndoPreview } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Clock } from '../day.ts';
import type { Database, Db } from '../db/database.ts';
import { leaveCohort, lockPeopleById } from '../features/cohorts/cohorts.sql.ts';
import { cancelNotices } from '../features/people/mails.sql.ts';
import type { BulkJob, Step } from './bulk-jobs.sql.ts';
import { type Bulk, startBulk, type UploadTools } from './run-bulk.ts';
import * as undo from './undo.sql.ts';

const NOTHING = { grants: 0, people: 0, holding: 0, kept: 0, lengthened: 0, products: 0, products_kept: 0 };

/**
 * Returns what the undo of the upload would do. `id` must be a UUID.
 * @throws AppError not_found; invalid_request if the job is no upload of people or products; log_pruned if audit lines
 * of the upload were deleted.
 */
export async function previewUndo(db: Db, id: string, { now, dayOf }: Clock): Promise<UndoPreview> {
  const { changes: _, ...preview } = await count(db, await requireTarget(db, id), dayOf(now()));
  return preview;
}

/**
 * Starts a job that undoes the upload, and returns the id of the job. A second call returns the id of the first job.
 * `expected` is the number of people, or of products, that staff saw in the preview. `id` must be a UUID.
 * @throws AppError as `previewUndo`; also invalid_request if nothing was imported; import_running if the import has not
 * ended; count_changed if more people or products than `expected` would change.
 */
export function undoImport(
  db: Database,
  { id, actor, expected }: { id: string; actor: string; expected: number },
  tools: UploadTools,
): Promise<string> {
  const plan = async (tx: Db, job_id: string) => {
    await undo.lockUndoTarget(tx, id);
    const target = await requireTarget(tx, id);
    if (target.undo_job !== null) return target.undo_job;
    if (target.state === 'running' || target.state === 'checking' || target.state === 'failed')
      throw new AppError(
        'import_running',
        'This upload has not ended. Wait for its end, or cancel it first.',
      );
    if (target.state === 'checked' || target.state === 'refused')
      throw new AppError('invalid_request', 'Nothing of this file was imported.');
    const { people, products, changes: rows_total } = await count(tx, target, tools.dayOf(tools.now()));
    const concerned = target.kind === 'products' ? products : people;
    if (concerned > expected)
      throw new AppError('count_changed', `More would change now than you saw: ${concerned}.`, {
        count: concerned,
      });
    await cancelNotices(tx, { import_id: target.id }, 'The upload was taken back.');
    const since = await undo.noteUndoJob(tx, { id: target.id, job_id });
    const begin = { phase: 'grants', after: '0', people: 0, grants: 0, left: 0, products: 0 } as const;
    const detail = { ...begin, undoes: target.id, expected, since };
    const { cohort_id, file_name } = target;
    return { kind: 'undo', created_by: actor, cohort_id, file_name, rows_total, detail };
  };
  return startBulk<undo.UndoDetail>(db, plan, tools);
}

async function requireTarget(db: Db, id: string): Promise<undo.UndoTarget> {
  const target = await undo.findUndoTarget(db, id);
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
 * Counts what the undo would do. `changes` is the number of grants and memberships that end, or of archived products.
 * @throws AppError log_pruned, because only audit lines show which memberships and products an upload made.
 */
async function count(
  db: Db,
  target: undo.UndoTarget,
  today: string,
): Promise<UndoPreview & { changes: number }> {
  if (target.kind === 'products') {
    const { added, ...counts } = await undo.countUndoneProducts(db, target.id);
    refusePruned(target.success, added);
    return { ...NOTHING, ...counts, changes: counts.products };
  }
  const { joined, lines, ...counts } = await undo.countUndo(db, target, today);
  refusePruned(target.joined, lines);
  return { ...NOTHING, ...counts, lengthened: target.lengthened, changes: counts.grants + joined };
}

/**
 * `made` is the number of memberships or products that the upload made. `lines` is the number of audit lines about them
 * (N-321).
 */
function refusePruned(made: number, lines: number): void {
  if (lines < made)
    throw new AppError(
      'log_pruned',
      'This upload cannot be taken back any more: the lines of the log that say what it made were removed.',
    );
}

// Number of people in one step. A step locks its people: other actions of staff wait, but learners who redeem do not.
const STEP_PEOPLE = 1_000;
const REASON = 'Upload taken back';

type UndoJob = BulkJob<undo.UndoDetail>;
type UndoStep = Partial<undo.UndoDetail> & Pick<Step, 'ends'>;

export const UNDO: Bulk<undo.UndoDetail> = {
  step: async (tx, job, tools) => {
    const { ends, ...detail } = await (job.detail.phase === 'grants'
      ? withdrawStep(tx, job, tools)
      : leaveStep(tx, job));
    if (ends) await undo.setUndone(tx, job.detail.undoes);
    return { changed: changesOf({ ...job.detail, ...detail }) - changesOf(job.detail), ends, detail };
  },
  report: ({ created_by: actor, cohort_id, detail }) => {
    const { undoes, expected, people, grants, left, products, audited } = detail;
    const changes = changesOf(detail);
    if (changes === audited && changes > 0) return null;
    const told = { import_id: undoes, expected, people, grants, left, products };
    const count = products > 0 ? products : people;
    const summary_of = products > 0 ? ['product'] : ['grant', 'member'];
    return {
      changes,
      line: { actor, action: 'import.undo', cohort_id, detail: { ...told, count }, summary_of },
    };
  },
};

async function withdrawStep(tx: Db, job: UndoJob, { now, dayOf }: Clock): Promise<UndoStep> {
  const { detail, created_by: actor, cohort_id } = job;
  const at = now();
  const by = { actor, reason: REASON, at, today: dayOf(at) };
  const ids = await undo.listNextPeople(tx, detail, { today: by.today, limit: STEP_PEOPLE });
  const sum = { ...detail };
  if (ids.length > 0) {
    await lockPeopleById(tx, ids);
    const { grants, people } = await undo.withdrawGrantsOf(tx, detail, { ...by, ids });
    const made = await undo.listLeftMembers(tx, detail, { ids });
    const left = await leave(tx, job, ids, made);
    sum.grants += grants;
    sum.left += left.length;
    sum.people += new Set([...people, ...left]).size;
  }
  if (ids.length === STEP_PEOPLE) return { ...sum, after: ids.at(-1) ?? detail.after, ends: null };
  if (cohort_id !== null) return { ...sum, phase: 'members', after: '0', ends: null };
  // The undo of an upload of products ends here. Such an upload made no grants, so the first step has found no people.
  return { ...sum, products: await undo.archiveProductsOf(tx, detail, by), ends: 'done' };
}

async function leaveStep(tx: Db, job: UndoJob): Promise<UndoStep> {
  const { detail } = job;
  const of = { cohort_id: job.cohort_id ?? '', limit: STEP_PEOPLE };
  const { ids, last } = await undo.listNextMembers(tx, detail, of);
  await lockPeopleById(tx, ids);
  // Reads again which people the upload made members: before the lock, other staff may have removed people and added
  // them again.
  const made = await undo.listMadeMembers(tx, detail, { ...of, ids });
  const left = await leave(tx, job, ids, made);
  const others = await undo.countOthers(tx, detail, { ids: left });
  const sum = { left: detail.left + left.length, people: detail.people + others };
  return { ...sum, after: last, ends: ids.length < STEP_PEOPLE ? 'done' : null };
}

/**
 * Removes people of `made` from the cohort, unless other uploads or staff made them members too. Returns the removed
 * people.
 */
async function leave(
  tx: Db,
  { detail, created_by: actor, cohort_id }: UndoJob,
  ids: readonly string[],
  made: readonly string[],
): Promise<string[]> {
  if (cohort_id === null) return [];
  const leaving = await undo.handOverMembers(tx, detail, { cohort_id, ids, made });
  const by = { actor, reason: REASON, import_id: detail.undoes };
  if (leaving.length > 0) await leaveCohort(tx, { ...by, cohort_id, ids: leaving });
  return leaving;
}

const changesOf = ({ grants, left, products }: undo.UndoDetail) => grants + left + products;
