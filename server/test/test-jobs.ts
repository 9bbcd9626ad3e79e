// Creates a job worker for tests, and the tools with which a test imports an uploaded file.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import type { ImportTools, UploadTools, WorkTools } from '../src/bulk/run-bulk.ts';
import type { Database } from '../src/db/database.ts';
import { createImportHandler } from '../src/jobs/job-handlers.ts';
import { createJobWorker, type JobWorker } from '../src/jobs/job-worker.ts';
import type { JobHandlers } from '../src/jobs/run-job.ts';
import type { PacedMailer } from '../src/mail/mail-pace.ts';
import { utcDayOf } from './factories.ts';

export const TEST_IMPORT_TOOLS: ImportTools = {
  now: () => new Date(),
  dayOf: utcDayOf,
  randomBytes,
  pause,
  isStopping: () => false,
  countCalls: () => 0,
};

/**
 * Returns a job worker. If a job fails, the pause before the next try has no jitter. After `start`, the worker looks
 * for jobs once a second, and each time that a test wakes it.
 */
export function createTestJobs(
  db: Database,
  handlers: JobHandlers,
  {
    now = () => new Date(),
    log = pino({ level: 'silent' }),
    claimMails,
  }: {
    now?: () => Date;
    log?: Pick<Logger, 'info' | 'warn' | 'error'>;
    claimMails?: PacedMailer['claim'] | undefined;
  } = {},
): JobWorker {
  return createJobWorker({ db, handlers, now, random: () => 0.5, log, claimMails });
}

/** Returns the tools that `importCsv` needs. With these tools the import starts immediately, in the same process. */
export function createUploadTools(db: Database, tools = TEST_IMPORT_TOOLS): UploadTools & WorkTools {
  const jobs = createTestJobs(db, { import: createImportHandler(db, tools) });
  return { ...tools, randomUuid: randomUUID, runJob: jobs.run };
}
