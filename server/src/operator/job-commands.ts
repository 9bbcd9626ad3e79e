// Operator commands for the job queue.
import * as z from 'zod/mini';
import { cancelJob, retryJobs } from '../jobs/change-jobs.ts';
import { listJobs } from '../jobs/job-lists.sql.ts';
import { flag, OperatorError, portalCommand } from './command.ts';

const LISTED_JOBS = 200;

const JOB_ID = {
  form: '<number>',
  help: 'the number of the job, as jobs list shows it',
  schema: z.string().check(z.regex(/^\d{1,18}$/)),
  wanted: 'Name one job by its number, as jobs list shows it',
};

export const jobCommands = [
  portalCommand({
    name: 'jobs list',
    summary: 'jobs that wait, run, failed or were cancelled, with the reason of the last failure',
    takes: { failed: flag('--failed', 'only those that failed') },
    run: async ({ db }, { failed }) => {
      const jobs = await listJobs(db, { failed, limit: LISTED_JOBS });
      if (jobs.length === 0) return failed ? 'No job failed.' : 'No jobs.';
      const lines = jobs.map(({ id, kind, key, state, tries, due_at, ended_at, reason }) => {
        const when =
          ended_at === null
            ? `due ${due_at}`
            : `${state === 'cancelled' ? 'cancelled' : 'failed'} ${ended_at}`;
        return [id, state, kind, key, `${tries} tries`, when, reason ?? '']
          .filter((part) => part !== '')
          .join('  ');
      });
      if (jobs.length === LISTED_JOBS) lines.push(`The first ${LISTED_JOBS} are listed.`);
      return lines.join('\n');
    },
  }),
  portalCommand({
    name: 'jobs retry',
    summary: 'let a failed job run again at once',
    takes: { id: JOB_ID },
    run: async ({ db }, { id }) => {
      const retried = await retryJobs(db, { id }, { now: new Date(), actor: 'operator' });
      if (retried === 0) throw new OperatorError(`No failed job has the number ${id}.`);
      return `Job ${id} runs again.`;
    },
  }),
  portalCommand({
    name: 'jobs cancel',
    summary: 'end a job; what it has done stays',
    takes: { id: JOB_ID },
    run: async ({ db }, { id }) => {
      const job = await cancelJob(db, id, { now: new Date(), actor: 'operator' });
      if (job === null) throw new OperatorError(`No job that could be cancelled has the number ${id}.`);
      return `Job ${id} (${job.kind} ${job.key}) is cancelled.`;
    },
  }),
];
