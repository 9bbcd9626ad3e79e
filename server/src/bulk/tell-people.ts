// Tells people by email what they got, after an action on many people that was started without these mails (R-DAY-36).
import { randomUUID } from 'node:crypto';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { createAuditLine, setLogGroup } from '../features/log/audit.sql.ts';
import { countUntold, enqueueReadyMails, releaseNotices } from '../features/people/mails.sql.ts';
import { enqueueRunningJob, type Job } from '../jobs/jobs.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import { lockAnyBulkJob } from './bulk-jobs.sql.ts';
import { AT_ONCE, createThrottle, type UploadTools, type WorkTools } from './run-bulk.ts';

/** `group` is the group of the log lines; null if there is one person. */
type TellOrder = { actor: string; language: string; group: string | null };

/**
 * Enqueues the mails to the people who got products by the job `id`, and were not told. For at most AT_ONCE people, waits
 * until the mails are in the queue. Does nothing if all are told already, or a call before this one tells them. `id` must
 * be a UUID.
 * @throws AppError not_found; invalid_request if the job gave nobody products; import_running.
 */
export async function tellPeople(
  db: Database,
  { id, actor, language }: Omit<TellOrder, 'group'> & { id: string },
  { now, runJob }: UploadTools,
): Promise<void> {
  const { job, people } = await db.transaction(async (tx) => {
    // The lock makes a second call wait for the first one.
    const act = await lockAnyBulkJob(tx, id);
    if (act === null) throw new AppError('not_found', 'Import not found');
    if (act.kind !== 'act')
      throw new AppError('invalid_request', 'Only people who got products by an act on many can be told.');
    if (act.state === 'running')
      throw new AppError('import_running', 'This job has not ended. Wait for its end.');
    const count = await countUntold(tx, id);
    if (count === 0) return { job: null, people: 0 };
    // The lines of the job's steps and the line of this press are one entry of the log (R-DAY-40).
    const group = count > 1 ? randomUUID() : null;
    const data: TellOrder = { actor, language, group };
    const added = await enqueueRunningJob(tx, { kind: 'tell-people', key: id, data }, now());
    // The job of a call before this one may have ended since the count. The new job then finds nobody, and has no line.
    const left = added === null ? 0 : await countUntold(tx, id);
    if (left > 0) {
      const detail = { import_id: id, count: left };
      await setLogGroup(tx, group);
      const line = { actor, action: 'import.tell', cohort_id: act.cohort_id, detail };
      await createAuditLine(tx, { ...line, ...(group !== null && { summary_of: ['mail'] }) });
    }
    return { job: added, people: count };
  });
  // An error does not fail this call: the job stays in the queue, and is retried.
  const work = job === null ? null : runJob(job).catch(() => undefined);
  if (people <= AT_ONCE) await work;
}

/** Number of notices in one step. */
const STEP_NOTICES = 1_000;

/** Does the work of a job that `tellPeople` enqueued. An interrupted job continues with the people who are not told yet. */
export async function releaseMails(
  db: Database,
  { key: import_id, data }: Job,
  tools: WorkTools,
  { renew }: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  const { actor, language, group } = data as TellOrder;
  const throttle = createThrottle(tools);
  for (;;) {
    if (tools.isStopping()) return 'released';
    const released = await db.transaction(async (tx) => {
      const now = tools.now();
      const today = tools.dayOf(now);
      await setLogGroup(tx, group);
      const ids = await releaseNotices(tx, { import_id, language, today, limit: STEP_NOTICES });
      if (ids.length > 0) await enqueueReadyMails(tx, ids, { actor, now, today });
      return ids.length;
    });
    if (released < STEP_NOTICES) return;
    if (!(await renew())) return 'released';
    await throttle();
  }
}
