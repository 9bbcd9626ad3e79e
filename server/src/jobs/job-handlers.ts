// Maps each kind of job to its handler: a function that does the work of this kind.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  analyseTables,
  deleteOldChecks,
  deleteSourcesWithoutJob,
  recoverImports,
  setImportState,
} from '../bulk/bulk-jobs.sql.ts';
import { FILE, findBulk, reportEnd } from '../bulk/bulk-kinds.ts';
import { deleteLostSources, vacuumSources } from '../bulk/import-sources.sql.ts';
import {
  createTurns,
  type ImportTools,
  runBulk,
  type UploadTools,
  type WorkTools,
} from '../bulk/run-bulk.ts';
import { releaseMails } from '../bulk/tell-people.ts';
import type { Database } from '../db/database.ts';
import { countForecasts } from '../features/codes/forecast.ts';
import { writeRevealNotice } from '../features/codes/reveal.ts';
import { sendLowStockAlerts, writeLowStockMail } from '../features/codes/stock.ts';
import { expireCoupons } from '../features/codes/void.ts';
import { addUpTally, vacuumTally } from '../features/dashboard/tally.sql.ts';
import { endReadyMail, prepareCodeMail, prepareReadyMail } from '../features/people/mails.ts';
import { deleteOldData, type Retention } from '../features/privacy/retain.ts';
import { recordClaimPlaces } from '../features/redeem/redeem.sql.ts';
import { deleteSentForms } from '../features/sent-forms.sql.ts';
import { writeTeamMail } from '../features/team/team.ts';
import { createLog } from '../log.ts';
import type { MailBrand } from '../mail/mail-frame.ts';
import { MAIL_LOG, mailIdOf } from '../mail/mail-log.ts';
import type { PacedMailer } from '../mail/mail-pace.ts';
import { createJobWorker } from './job-worker.ts';
import { deleteEndedJobs, type Job, placeOf, vacuumJobs } from './jobs.sql.ts';
import type { JobHandler, JobHandlers } from './run-job.ts';

const KEEP_ENDED_DAYS = 30;
/**
 * How long failed sign-in mails stay in the list of failed jobs. The time is short, because these mails fail often
 * (people mistype their addresses), and nobody retries an old sign-in mail.
 */
const KEEP_MAILS_DAYS = 1;
/** How long a checked file waits until staff import it (R-IMP-03). */
const KEEP_CHECKED_DAYS = 1;
/** How long the portal stores the ids of sent forms, to detect that a browser sends the same form again. */
const KEEP_SENT_DAYS = 1;
/**
 * An import without a job gets a new job after this time without progress. Until then, an upload request may still be
 * running the import.
 */
const LOST_IMPORT_SECONDS = 120;

/**
 * Returns the handler for bulk jobs: import or check a CSV file, undo an upload, change the free codes of a batch, or
 * change many people.
 */
export function createImportHandler(db: Database, tools: ImportTools): JobHandler {
  const inTurn = createTurns(db);
  return {
    run: async (job, jobTools) => {
      const bulk = await findBulk(db, job.key);
      if (bulk === undefined) return;
      const run = () => runBulk(db, job, bulk, tools, jobTools);
      // The embedded engine imports one file at a time: several at once need more memory and are not faster.
      return bulk === FILE && db.engine === 'embedded' ? inTurn(job.key, run) : run();
    },
    onFailed: async (tx, { key }, reason) => {
      await setImportState(tx, key, 'failed', reason);
      await reportEnd(tx, key);
    },
  };
}

/**
 * Returns the tools with which script/portal imports a file in its own process. The log is silent, because the state of
 * the import has the error of a failed import.
 */
export function createUploadTools(
  db: Database,
  { now, dayOf }: { now: () => Date; dayOf: (at: Date) => string },
): UploadTools & WorkTools {
  // `countCalls` is null, because this process cannot count the calls that the portal serves. The import therefore
  // pauses after every chunk.
  const importTools = { now, dayOf, randomBytes, pause, isStopping: () => false, countCalls: null };
  const handlers = { import: createImportHandler(db, importTools) };
  const jobs = createJobWorker({ db, handlers, now, random: Math.random, log: createLog('silent') });
  return { ...importTools, randomUuid: randomUUID, runJob: jobs.run };
}

type Mail = Parameters<PacedMailer['send']>[0];

/** Returns the handlers of all kinds of jobs except sign-in mails, whose handler is in `AuthService.jobHandlers`. */
export function createJobHandlers({
  db,
  now,
  importTools,
  sendMail,
  publicUrl,
  brand,
  purgeExpired,
  retention,
}: {
  db: Database;
  now: () => Date;
  importTools: ImportTools;
  /** Sends a mail, and resolves with the last line of the mail server's response. */
  sendMail: PacedMailer['send'];
  publicUrl: string;
  brand: MailBrand;
  purgeExpired: () => Promise<void>;
  retention: Retention;
}): JobHandlers {
  const mailHandler = (write: (job: Job) => Mail | Promise<Mail>): JobHandler => ({
    ...MAIL_LOG,
    run: async (job, { signal }) => sendMail({ ...(await write(job)), id: mailIdOf(job) }, signal),
  });
  return {
    import: createImportHandler(db, importTools),
    'tell-people': { run: (job, jobTools) => releaseMails(db, job, importTools, jobTools) },
    'stock-mail': mailHandler((job) => writeLowStockMail(job, { publicUrl, brand })),
    'notice-mail': mailHandler((job) => writeRevealNotice(job, { publicUrl, brand })),
    'team-mail': mailHandler((job) => writeTeamMail(job, { publicUrl, brand })),
    'code-mail': mailHandler((job) => prepareCodeMail(db, job, { publicUrl, brand })),
    'ready-mail': {
      ...MAIL_LOG,
      run: async (job, { signal }) => {
        const mail = await prepareReadyMail(db, job, { publicUrl, brand, now, dayOf: importTools.dayOf });
        return mail === null ? null : sendMail({ ...mail, id: mailIdOf(job) }, signal);
      },
      onDone: async (tx, job, response) => {
        await MAIL_LOG.onDone(tx, job, response);
        const end =
          typeof response === 'string'
            ? { state: 'sent' as const, words: null }
            : { state: 'cancelled' as const, words: 'No product was open to this person.' };
        await endReadyMail(tx, job, { ...end, at: now() }, importTools);
      },
      onFailed: async (tx, job, words, failure) => {
        await MAIL_LOG.onFailed(tx, job, words, failure);
        await endReadyMail(tx, job, { state: 'failed', words, at: failure.now }, importTools);
      },
    },
    'check-stock': { run: () => sendLowStockAlerts(db, { now: now(), today: importTools.dayOf(now()) }) },
    'expire-codes': { run: () => expireCoupons(db, importTools) },
    'forecast-stock': { run: (_job, jobTools) => countForecasts(db, importTools, jobTools) },
    'analyse-tables': { run: () => analyseTables(db) },
    'add-up-tally': {
      run: async () => {
        await recordClaimPlaces(db);
        const lines = await addUpTally(db, now());
        // The embedded engine has no autovacuum, so this job vacuums the tables of the tally after it has deleted rows.
        if (lines > 0 && db.engine === 'embedded') await vacuumTally(db);
      },
    },
    purge: {
      run: async () => {
        await purgeExpired();
        const before = (days: number) => new Date(now().getTime() - days * 86_400_000);
        await deleteEndedJobs(db, { before: before(KEEP_ENDED_DAYS), mailsBefore: before(KEEP_MAILS_DAYS) });
        await deleteSourcesWithoutJob(db);
        await deleteSentForms(db, before(KEEP_SENT_DAYS));
        await deleteOldChecks(db, before(KEEP_CHECKED_DAYS));
        await deleteLostSources(db, before(KEEP_CHECKED_DAYS));
        if (db.engine !== 'embedded') return;
        await vacuumJobs(db);
        await vacuumSources(db);
      },
    },
    retain: { run: (_job, jobTools) => deleteOldData(db, { ...retention, now: now() }, jobTools) },
    adopt: {
      run: () =>
        recoverImports(db, placeOf('import'), {
          // Only one process at a time can open an embedded database. So no other process runs an import without a job.
          idleSeconds: db.engine === 'embedded' ? 0 : LOST_IMPORT_SECONDS,
          now: now(),
        }),
    },
  };
}
