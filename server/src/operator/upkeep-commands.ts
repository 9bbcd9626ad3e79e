// The operator's commands for the job queue and the audit log.
import { resolve } from 'node:path';
import { dayField } from '@portal/contract';
import * as z from 'zod/mini';
import { pruneAudit } from '../backup/prune-audit.ts';
import { createDayOf, startOfDay } from '../day.ts';
import { cancelJob, retryJobs } from '../jobs/change-jobs.ts';
import { listJobs } from '../jobs/job-lists.sql.ts';
import { flag, OperatorError, portalCommand, text } from './command.ts';

const LISTED_JOBS = 200;

const JOB_ID = {
  form: '<number>',
  help: 'the number of the job, as jobs list shows it',
  schema: z.string().check(z.regex(/^\d{1,18}$/)),
  wanted: 'Name one job by its number, as jobs list shows it',
};

export const upkeepCommands = [
  portalCommand({
    name: 'jobs list',
    summary: 'jobs that wait, run, failed or were cancelled, with the reason of the last failure',
    takes: { failed: flag('--failed', 'only those that failed') },
    run: async ({ db }, { failed }) => {
      const jobs = await listJobs(db, { failed, limit: LISTED_JOBS });
      if (jobs.length === 0) return failed ? 'No job failed.' : 'No jobs.';
      const lines = jobs.map(({ id, kind, key, state, tries, due_at, ended_at, reason }) => {
        const end = state === 'cancelled' ? 'cancelled' : 'failed';
        const when = ended_at === null ? `due ${due_at}` : `${end} ${ended_at}`;
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
  portalCommand({
    name: 'audit prune',
    summary:
      'move the lines of the log before a day to a new file; lines of codes that somebody holds stay in the log',
    takes: {
      before: {
        form: '--before <day>',
        help: 'the first day whose lines stay, such as 2024-01-01',
        schema: dayField('--before'),
        wanted: '--before needs a day, such as 2024-01-01',
      },
      to: {
        form: '--to <file.gz>',
        help: 'the new file',
        schema: text,
        wanted: '--to needs one file, such as log-2023.gz',
      },
    },
    run: async ({ db, timeZone }, { before: day, to }, { folder }) => {
      if (day > createDayOf(timeZone)(new Date()))
        throw new OperatorError(`--before must not lie ahead (got: ${day}).`);
      const order = { before: startOfDay(day, timeZone), day, file: resolve(folder, to) };
      const lines = await pruneAudit(db, order);
      if (lines === 0) return `The log has no line before ${day} that can be removed. No file is written.`;
      const counted = lines === 1 ? 'One line' : `${lines.toLocaleString('en')} lines`;
      return `${counted} moved from the log to ${order.file}. It holds addresses: keep it where only you can read it.`;
    },
  }),
];
