// Maps each kind of job to its handler: a function that calls the use case for this kind.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from './db/database.ts';
import { createJobWorker } from './jobs/job-worker.ts';
import type { JobHandler, JobHandlers } from './jobs/run-job.ts';
import { deleteEndedJobs, placeOf, vacuumJobs } from './jobs/stores/jobs.ts';
import { createLog } from './log.ts';
import { findBatchAct } from './stores/batch-acts.ts';
import { recordClaimPlaces } from './stores/claims.ts';
import { adoptImports, deleteSourcesWithoutJob, setImportState } from './stores/imports.ts';
import { foldTally, vacuumTally } from './stores/tally.ts';
import { expireCoupons } from './usecases/expire-coupons.ts';
import { type ImportTools, runImport, type UploadTools } from './usecases/import-csv.ts';
import { sendLowStockAlerts, writeLowStockMail } from './usecases/low-stock-alert.ts';
import { auditBatchAct, runBatchAct } from './usecases/run-batch-act.ts';

const KEEP_ENDED_DAYS = 30;
/**
 * How long failed sign-in mails stay in the list of failed jobs. The time is shorter than for other jobs, because
 * people mistype addresses every day and nobody needs an old sign-in mail.
 */
const KEEP_MAILS_DAYS = 1;
/**
 * How long a mail or an import must be without progress before this version takes it over from a process of the
 * previous version. After this time that process has lost its lease: in the previous version, leases last 90 seconds
 * for a mail and 30 seconds for an import.
 */
const OLD_LEASE_SECONDS = 120;

/** Returns the handler for imports and for acts on batches. */
export function createImportHandler(db: Database, tools: ImportTools): JobHandler {
  return {
    run: async ({ key }, jobTools) => {
      const act = await findBatchAct(db, key);
      return act === null ? runImport(db, key, tools, jobTools) : runBatchAct(db, act, tools, jobTools);
    },
    onFailed: async (tx, { key }, reason) => {
      await setImportState(tx, key, 'failed', reason);
      await auditBatchAct(tx, key);
    },
  };
}

/**
 * Returns the tools with which script/portal imports a file. The process of script/portal serves no requests and runs
 * the import itself. If the import fails, the error is stored in the state of the import, not written to the log.
 */
export function createUploadTools(
  db: Database,
  { now, dayOf }: { now: () => Date; dayOf: (at: Date) => string },
): UploadTools {
  // `countCalls` is null because this process does not see the requests of the portal's processes.
  const importTools = { now, dayOf, randomBytes, pause, isStopping: () => false, countCalls: null };
  const handlers = { import: createImportHandler(db, importTools) };
  const jobs = createJobWorker({ db, handlers, now, random: Math.random, log: createLog('silent') });
  return { now, dayOf, randomUuid: randomUUID, runJob: jobs.run };
}

/** Returns the handlers of all kinds of jobs except sign-in mails. The embedded sign-in service adds that handler. */
export function createJobHandlers({
  db,
  now,
  dayOf,
  importTools,
  sendMail,
  publicUrl,
  purgeExpired,
  adoptMails,
}: {
  db: Database;
  now: () => Date;
  dayOf: (at: Date) => string;
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
    'expire-codes': { run: () => expireCoupons(db, importTools) },
    'add-up-tally': {
      run: async () => {
        await recordClaimPlaces(db, dayOf(now()));
        const lines = await foldTally(db, now());
        // The embedded engine has no autovacuum, so this job removes the deleted rows from the files of the database.
        if (lines > 0 && db.engine === 'embedded') await vacuumTally(db);
      },
    },
    purge: {
      run: async () => {
        await purgeExpired();
        const before = (days: number) => new Date(now().getTime() - days * 86_400_000);
        await deleteEndedJobs(db, { before: before(KEEP_ENDED_DAYS), mailsBefore: before(KEEP_MAILS_DAYS) });
        await deleteSourcesWithoutJob(db);
        if (db.engine === 'embedded') await vacuumJobs(db);
      },
    },
    adopt: {
      run: async () => {
        // Only one process can use an embedded database, so no process of the previous version is still running. This
        // version takes over the unfinished mails and imports without waiting.
        const idleSeconds = db.engine === 'embedded' ? 0 : OLD_LEASE_SECONDS;
        await adoptMails(idleSeconds);
        await adoptImports(db, placeOf('import'), { idleSeconds, now: now() });
      },
    },
  };
}
