// Runs the job of an act on many people, in steps: they join or leave a cohort, move to another, or get products.
import type { Database, Db } from '../db/database.ts';
import { grantAccess } from '../features/access/access.sql.ts';
import * as members from '../features/cohorts/cohort-members.sql.ts';
import { requireCohort, requireTarget } from '../features/cohorts/find-cohort.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { listSelected } from '../features/people/user-lists.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { setActAudited } from './batch-acts.sql.ts';
import type { WorkTools } from './give-way.ts';
import * as acts from './people-acts.sql.ts';
import { runSteps, type StepResult } from './run-steps.ts';

// Number of people in one step. A step locks its people against other acts of staff. Learners who redeem do not wait.
const STEP_PEOPLE = 1_000;

/**
 * Runs the act, beginning after the people who are done. Returns 'released' if the act is not done. The reasons: this
 * process stops, another process has claimed the job, or the act was cancelled.
 */
export function runPeopleAct(
  db: Database,
  id: string,
  tools: WorkTools,
  jobTools: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  const step = () =>
    db.transaction(async (tx): Promise<StepResult> => {
      const act = await acts.lockPeopleAct(tx, id);
      return act?.state === 'running' ? runStep(tx, act, tools) : 'gone';
    });
  return runSteps(step, tools, jobTools);
}

async function runStep(
  tx: Db,
  act: acts.PeopleAct,
  tools: Pick<WorkTools, 'now' | 'dayOf'>,
): Promise<'ended' | 'goes on'> {
  const { people, after, ends } = await listNext(tx, act.detail);
  const outcome = people.length === 0 ? NOBODY : await ACTS[act.detail.act](tx, act, people, tools);
  await acts.addToPeopleAct(tx, act.id, { looked: people.length, ...outcome, after, ends });
  if (ends) await auditPeopleAct(tx, act.id);
  return ends ? 'ended' : 'goes on';
}

type Person = { id: string; email: string };

/** Returns the next people of the act. */
async function listNext(
  tx: Db,
  { filter, emails, newest, after }: acts.PeopleActDetail,
): Promise<{ people: Person[]; after: string | null; ends: boolean }> {
  if (emails !== null) return { people: await acts.listNamed(tx, emails), after: null, ends: true };
  const page: (Person & { cursor?: string })[] = await listSelected(tx, filter ?? {}, {
    limit: STEP_PEOPLE,
    after: after ?? undefined,
  });
  const last = page.at(-1);
  return {
    // Somebody who was created after the start of the act is not changed.
    people: page.filter(({ id }) => BigInt(id) <= BigInt(newest)),
    after: last === undefined ? after : (last.cursor ?? last.id),
    ends: page.length < STEP_PEOPLE,
  };
}

type Outcome = { changed: number; full: number };
const NOBODY: Outcome = { changed: 0, full: 0 };
const changedOnly = (changed: number): Outcome => ({ changed, full: 0 });

type Act = (
  tx: Db,
  act: acts.PeopleAct,
  people: readonly Person[],
  tools: Pick<WorkTools, 'now' | 'dayOf'>,
) => Promise<Outcome>;

/** Each function changes the people of a step, and returns how many of them were changed, and how many could not join. */
const ACTS: Record<acts.PeopleActDetail['act'], Act> = {
  join: async (tx, act, people) => {
    const { ids, ...by } = await lock(tx, act, people);
    const full = new Set((await members.listFull(tx, { ...by, ids })).map(({ id }) => id));
    const changed = await members.joinCohort(tx, { ...by, ids: ids.filter((id) => !full.has(id)) });
    return { changed, full: full.size };
  },
  leave: async (tx, act, people) => changedOnly(await members.leaveCohort(tx, await lock(tx, act, people))),
  move: async (tx, act, people) => {
    const { cohort_id, ...by } = await lock(tx, act, people);
    const from = await requireCohort(tx, cohort_id);
    const to = await requireTarget(tx, cohort_id, act.detail.to ?? '');
    return changedOnly(await members.moveMembers(tx, { ...by, from, to }));
  },
  grant: async (tx, { id: import_id, created_by: actor, product_ids, starts_on, ends_on }, people, tools) => {
    const today = tools.dayOf(tools.now());
    const emails = people.map(({ email }) => email);
    const days = { starts_on: starts_on ?? today, ends_on, today };
    return changedOnly((await grantAccess(tx, { emails, product_ids, ...days, actor, import_id })).people);
  },
};

/** Locks the people of a step. Returns the parameters of the functions that change members. */
async function lock(
  tx: Db,
  { id: import_id, created_by: actor, cohort_id }: acts.PeopleAct,
  people: readonly Person[],
) {
  const ids = people.map(({ id }) => id);
  await members.lockPeopleById(tx, ids);
  return { cohort_id: cohort_id ?? '', ids, actor, import_id };
}

/**
 * Writes the audit line of an act that is done, failed or cancelled. A failed act can be retried, and then has several
 * lines. So each line counts only the people whom no earlier line has counted. Writes nothing if `id` is the id of
 * another job.
 */
export async function auditPeopleAct(tx: Db, id: string): Promise<void> {
  const act = await acts.findPeopleAct(tx, id);
  if (act === null) return;
  const { cohort_id, product_ids, created_by: actor, success, detail } = act;
  await setActAudited(tx, id, success);
  await createAuditLine(tx, {
    actor,
    action: 'user.act',
    ...(cohort_id !== null && { cohort_id }),
    detail: {
      import_id: id,
      act: detail.act,
      count: success - detail.audited,
      ...(detail.filter === null ? {} : { filter: detail.filter }),
      ...(product_ids.length > 0 && { product_ids }),
    },
  });
}
