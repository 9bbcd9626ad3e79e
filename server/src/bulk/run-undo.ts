// Runs the job that takes back an upload, in steps: withdraws the grants that the upload made, removes its people from
// the cohort, and archives its products.
import type { Database, Db } from '../db/database.ts';
import { leaveCohort, lockPeopleById } from '../features/cohorts/cohort-members.sql.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { setActAudited } from './batch-acts.sql.ts';
import type { WorkTools } from './give-way.ts';
import { lockImportAt } from './imports.sql.ts';
import { runSteps, type StepResult } from './run-steps.ts';
import * as undo from './undo.sql.ts';

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
