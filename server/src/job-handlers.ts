// What each kind of job does: binds the use cases to the job queue.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from './db/database.ts';
import { createJobWorker } from './jobs/job-worker.ts';
import type { JobHandler, JobHandlers } from './jobs/run-job.ts';
import { deleteEndedJobs, placeOf, tidyJobs } from './jobs/stores/jobs.ts';
import { createLog } from './log.ts';
import { adoptImports, deleteSourcesWithoutJob, setImportState } from './stores/imports.ts';
import { foldTally, tidyTally } from './stores/tally.ts';
import { type ImportTools, runImport, type UploadTools } from './usecases/import-csv.ts';
import { sendLowStockAlerts, writeLowStockMail } from './usecases/low-stock-alert.ts';

const KEEP_ENDED_DAYS = 30;
/** Addresses are mistyped every day, and nobody waits for a sign-in mail of yesterday. */
const KEEP_MAILS_DAYS = 1;
/** The version before held a mail for 90 seconds, and an import for 30. */
const OLD_LEASE_SECONDS = 120;

/** Imports CSV files. */
export function createImportHandler(db: Database, tools: ImportTools): JobHandler {
  return {
    run: ({ key }, jobTools) => runImport(db, key, tools, jobTools),
    onFailed: (tx, { key }, reason) => setImportState(tx, key, 'failed', reason),
  };
}

/**
 * The tools of an upload in a process that serves no requests: its import runs there. What goes wrong stands in the
 * import's state.
 */
export function createUploadTools(db: Database, now: () => Date): UploadTools {
  // Whom the portal's processes serve meanwhile cannot be seen from here.
  const importTools = { randomBytes, pause, isStopping: () => false, countCalls: null };
  const handlers = { import: createImportHandler(db, importTools) };
  const jobs = createJobWorker({ db, handlers, now, random: Math.random, log: createLog('silent') });
  return { now, randomUuid: randomUUID, runJob: jobs.run };
}

/** All but the sign-in mails, which are the embedded sign-in service's. */
export function createJobHandlers({
  db,
  now,
  importTools,
  sendMail,
  publicUrl,
  purgeExpired,
  adoptMails,
}: {
  db: Database;
  now: () => Date;
  importTools: ImportTools;
  sendMail: (mail: { to: string; subject: string; text: string }, signal: AbortSignal) => Promise<void>;
  publicUrl: string;
  purgeExpired: () => Promise<void>;
  adoptMails: (idleSeconds: number) => Promise<void>;
}): JobHandlers {
  return {
    import: createImportHandler(db, importTools),
    'stock-mail': { run: (job, { signal }) => sendMail(writeLowStockMail(job, publicUrl), signal) },
    'check-stock': { run: () => sendLowStockAlerts(db, now()) },
    'add-up-tally': {
      run: async () => {
        const lines = await foldTally(db, now());
        // The embedded engine has nobody else who clears away what is gone.
        if (lines > 0 && db.engine === 'embedded') await tidyTally(db);
      },
    },
    purge: {
      run: async () => {
        await purgeExpired();
        const before = (days: number) => new Date(now().getTime() - days * 86_400_000);
        await deleteEndedJobs(db, { before: before(KEEP_ENDED_DAYS), mailsBefore: before(KEEP_MAILS_DAYS) });
        await deleteSourcesWithoutJob(db);
        if (db.engine === 'embedded') await tidyJobs(db);
      },
    },
    adopt: {
      run: async () => {
        // On the embedded engine no process of the version before can be at work.
        const idleSeconds = db.engine === 'embedded' ? 0 : OLD_LEASE_SECONDS;
        await adoptMails(idleSeconds);
        await adoptImports(db, placeOf('import'), { idleSeconds, now: now() });
      },
    },
  };
}
