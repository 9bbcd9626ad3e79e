// Operator commands for the job queue.
import type { Database } from '../db/database.ts';
import { listJobs } from '../jobs/stores/job-lists.ts';
import { cancelJob, retryJobs } from '../usecases/change-jobs.ts';
import { OperatorError, takeFlag } from './arguments.ts';
import type { Command } from './commands.ts';

const LISTED_JOBS = 200;

async function listJobLines(db: Database, args: readonly string[]): Promise<string> {
  const { flag: failed, rest } = takeFlag(args, '--failed');
  if (rest.length > 0)
    throw new OperatorError(`jobs list takes --failed and nothing more (got: ${rest.join(' ')}).`);
  const jobs = await listJobs(db, { failed, limit: LISTED_JOBS });
  if (jobs.length === 0) return failed ? 'No job failed.' : 'No jobs.';
  const lines = jobs.map(({ id, kind, key, state, tries, due_at, ended_at, reason }) => {
    const when =
      ended_at === null ? `due ${due_at}` : `${state === 'cancelled' ? 'cancelled' : 'failed'} ${ended_at}`;
    return [id, state, kind, key, `${tries} tries`, when, reason ?? '']
      .filter((part) => part !== '')
      .join('  ');
  });
  if (jobs.length === LISTED_JOBS) lines.push(`The first ${LISTED_JOBS} are listed.`);
  return lines.join('\n');
}

function readJobId(args: readonly string[]): string {
  const [id = '', ...rest] = args;
  if (!/^\d{1,18}$/.test(id) || rest.length > 0)
    throw new OperatorError(
      `Name one job by its number, as jobs list shows it (got: ${args.join(' ') || 'nothing'}).`,
    );
  return id;
}

export const jobCommands: Record<string, Command> = {
  'jobs list': {
    usage: 'jobs list [--failed]',
    summary: 'jobs that wait, run, failed or were cancelled, with the reason of the last failure',
    run: ({ db }, { args }) => listJobLines(db, args),
  },
  'jobs retry': {
    usage: 'jobs retry <number>',
    summary: 'let a failed job run again at once',
    run: async ({ db }, { args }) => {
      const id = readJobId(args);
      const retried = await retryJobs(db, { id }, { now: new Date(), actor: 'operator' });
      if (retried === 0) throw new OperatorError(`No failed job has the number ${id}.`);
      return `Job ${id} runs again.`;
    },
  },
  'jobs cancel': {
    usage: 'jobs cancel <number>',
    summary: 'end a job; what it has done stays',
    run: async ({ db }, { args }) => {
      const id = readJobId(args);
      const job = await cancelJob(db, id, { now: new Date(), actor: 'operator' });
      if (job === null) throw new OperatorError(`No job that could be cancelled has the number ${id}.`);
      return `Job ${id} (${job.kind} ${job.key}) is cancelled.`;
    },
  },
};
